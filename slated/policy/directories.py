"""In which directories each command of a script may run, as far as `cd` tells."""

from __future__ import annotations

from slated.policy.facts import Facts, Kind
from slated.policy.paths import join
from slated.policy.words import Command, Script

MOST = 8
MOVES = {"cd", "pushd", "popd"}


class Directories:
    """Follows `cd` through a script. A directory that is not known is None."""

    def __init__(self, facts: Facts, home: str, start: str | None, script: Script) -> None:
        self.facts, self.home, self.script = facts, home, script
        self.possible: tuple[str | None, ...] = (start,)
        self.moved: dict[int, tuple[str | None, ...]] = {}
        moving = [command for command in script.commands if moves(command)]
        lost = any(command.repeated or hidden_move(command) for command in moving)
        self.lost = bool(moving) and (lost or script.defines or "CDPATH" in script.assigned)
        if self.lost:
            self.possible = (start, None)

    def before(self, index: int) -> tuple[str | None, ...]:
        """Where the command at this place of the script may run."""
        guards = [place for place in self.script.commands[index].guards if place in self.moved]
        if not self.lost and guards and max(guards) == max(self.moved):
            return self.moved[max(guards)]
        return self.possible

    def after(self, index: int) -> None:
        """Takes note of what the command at this place did to the directory."""
        command = self.script.commands[index]
        if command.name not in MOVES:
            return
        before = self.before(index)
        targets = tuple(dict.fromkeys(self._target(command, directory) for directory in before))
        self.moved[index] = targets
        known = all(t is not None and self.facts.place(t).kind is Kind.DIRECTORY for t in targets)
        union = (
            targets
            if command.certain and known and not self.lost
            else tuple(dict.fromkeys((*self.possible, *targets)))
        )
        self.possible = union if len(union) <= MOST else (None,)

    def _target(self, command: Command, directory: str | None) -> str | None:
        words = [word for word in command.argv[1:] if word.exact not in {"-P", "-L", "--", "-e"}]
        if command.name == "popd" or len(words) > 1:
            return None
        if command.name == "pushd" and (not words or words[0].head.startswith(("+", "-"))):
            return None
        target = words[0].exact if words else self.home
        if (
            target is None
            or target in {"-", ""}
            or (directory is None and not target.startswith("/"))
        ):
            return None
        return join(directory or "/", target)


def moves(command: Command) -> bool:
    """Whether a command may change the directory."""
    return command.name in MOVES or hidden_move(command)


def hidden_move(command: Command) -> bool:
    """Whether a command may change the directory in a way that is not followed."""
    return command.name in {"eval", "source", ".", "builtin", "command", "trap"} and any(
        word.exact is None
        or "cd" in word.text
        or "pushd" in word.text
        or command.name in {"source", "."}
        for word in command.argv[1:]
    )
