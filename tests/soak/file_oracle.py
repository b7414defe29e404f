"""Asks real bash what a line changes and shows, and whether the grader knew: `python -m tests.soak.file_oracle`.

Random lines of harmless programs run in a directory with a secret in it and one above it, as nobody where we are root.
A file that changed and is in no graded command of a line below confirm is a miss, and so is a secret that was shown.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import stat
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from slated.machine import Machine
from slated.model import Tier
from slated.policy.facts import BELOW, ProtectedRoots, Setting
from slated.policy.grade import Graded, Grader
from slated.policy.rules import Rulebook

DEADLINE_S = 10
SECRET = b"TOKEN-77-OF-NOBODY"
NOBODY = 65534
PLACES = ("a", "..", "s", "a/b", ".git", "./a", "'c d'", '"a"', "-", ".", "$V", "${V}", "a/../s", "~-", "~/.ssh", "~",
          '"$PWD"', "$OLDPWD", "")  # fmt: skip
FILES = ("f", "n", "a/n", "../n", "$V", "$V/n", '"$V"n', "config", ".git/config", "s/n1", "n{1,2}", ".env", "a/.env",
         "../.ssh/config", "~/.ssh/config", "$HOME/.ssh/config", "$V/.env", ".e*", "~/.ssh/*", ".??v", "'n 3'", "h",
         "a/../n4", "~+/n5", "$PWD/n6", "${V:-n7}", "n$((1))", "/dev/null", "b/h", "$(echo n8)", "*", ".", "~",
         "{~,a}/.ssh/config")  # fmt: skip
VALUES = ("a", "s", ".git", "~/.ssh", ".env", "~/.ssh/config", "..", "n9", "$PWD", "a/b")
READS = ("cat", "head", "grep .", "sed -n p", "awk 1", "wc -l", "tail -n 2", "sort", "nl", "tac", "diff f", "cat f",
         "find . -name .env -exec cat {} +; cat", "paste", "xargs cat <", "while read l; do echo $l; done <",
         "cp -t s", "env -C .. cat", "fold", "cut -c1-", "dd status=none if=f; cat", "cat /dev/null")  # fmt: skip
CHANGES = ("echo", "cat", "touch", "mkdir -p", "cp f", "mv g", "rm -f", "tee", "ln -s f", "sort f -o", "sed -i s/x/y/",
           "rmdir", "xargs touch <<<", "exec >", "find . -fprint", "true", "false")  # fmt: skip
FIXED = ("popd", "trap 'echo x > n11' EXIT", "read V < f", "f() { cd a; }", "f", "f() { echo x > n12; }",
         "sed -n 'w n10' f", "find a -name f -delete", "sh -c 'echo x > ../n'", "sh -c 'cd a; echo x > n'")  # fmt: skip


class Lines:
    """Makes lines. The same seed makes the same ones."""

    def __init__(self, seed: int) -> None:
        self._dice = random.Random(seed)

    def one(self, depth: int = 0) -> str:
        """A statement, nested at most three deep."""
        kind = self._dice.random()
        if depth > 2 or kind < 0.45:
            return self._simple()
        if kind < 0.75:
            sign = self._dice.choice([" && ", " || ", "; ", " | ", "; ", " && ", " & "])
            return f"{self.one(depth + 1)}{sign}{self.one(depth + 1)}"
        inner, behind = self.one(depth + 1), self._redirection()
        if kind < 0.97:
            form = self._dice.choice(
                [
                    "{ %s; }",
                    "(%s)",
                    "if %s; then echo; fi",
                    "for V in a s; do %s; done",
                    "! { %s; }",
                ]
            )
            return form % inner + behind
        then = self._dice.choice(["", f" > {self._file()}", f" && {self._simple()}"])
        return f"cat{behind} <<E{then}\nx\nE\ntrue"

    def _file(self) -> str:
        return self._dice.choice(FILES)

    def _redirection(self) -> str:
        kind = self._dice.random()
        if kind < 0.5:
            return f" {self._dice.choice(['>', '>>', '>|', '&>', '2>', '1>'])} {self._file()}"
        return " < f" if kind < 0.6 else " <<< x" if kind < 0.7 else ""

    def _simple(self) -> str:
        pick = self._dice.choice
        match self._dice.randrange(10):
            case 0 | 1:
                return f"{pick(['cd', 'pushd'])} {pick(PLACES)}"
            case 2 | 3 | 4:
                return f"{pick(READS)} {self._file()}"
            case 5:
                return f"{pick(['', 'export '])}V={pick(VALUES)}"
            case 6:
                return pick(FIXED)
            case 7:
                how = pick(
                    ["env -C a touch {}", "dd if=f of={} status=none", "eval 'cd a; touch {}'"]
                )
                return how.format(self._file())
        return f"{pick(CHANGES)} {self._file()}{self._redirection()}"


@dataclass
class Tally:
    """What a run of the oracle found."""

    lines: int = 0
    below_confirm: int = 0
    changed: int = 0
    misses: list[str] = field(default_factory=list)


class Bed:
    """A home with a project in it, made anew for each line."""

    def __init__(self, top: Path) -> None:
        self.top, self.project = top, top / "p"

    def fresh(self) -> None:
        """What every line begins with."""
        for entry in self.top.iterdir():
            shutil.rmtree(entry) if entry.is_dir() and not entry.is_symlink() else entry.unlink()
        for name in ("a/b", "s", ".git", "c d"):
            (self.project / name).mkdir(parents=True)
        for name in ("f", "g", "a/f", "s/g", "a/b/h"):
            (self.project / name).write_text("x\n")
        (self.top / ".ssh").mkdir()
        for name in ("p/.env", "p/a/.env", ".ssh/config"):
            (self.top / name).write_bytes(SECRET + b"\n")
        if os.getuid() == 0:
            for path in (self.top, *self.top.rglob("*")):
                os.chown(path, NOBODY, NOBODY)

    def run(self, line: str) -> bytes:
        """What it prints."""
        drop = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
        done = subprocess.run(
            [*(drop if os.getuid() == 0 else []), "bash", "-c", line],
            cwd=self.project,
            env={"HOME": str(self.top), "PATH": "/usr/bin:/bin"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=DEADLINE_S,
            check=False,
        )
        return done.stdout + done.stderr

    def state(self) -> dict[str, tuple[int, ...]]:
        """Every name, with all that a change of it changes; of directories only that they are there."""
        found: dict[str, tuple[int, ...]] = {}
        for path in self.top.rglob("*"):
            facts = path.lstat()
            told = (facts.st_ino, facts.st_mtime_ns, facts.st_size, facts.st_mode)
            found[str(path)] = (facts.st_mode,) if stat.S_ISDIR(facts.st_mode) else told
        return found

    def shown(self, printed: bytes) -> bool:
        """Whether the secret is in what was printed, or in a file that is none of those that hold it."""
        for path in self.project.rglob("*"):
            if path.is_file() and not path.is_symlink() and path.name != ".env":
                printed += path.read_bytes()
        return SECRET in printed


def stray(changed: set[str], graded: Graded) -> set[str]:
    """Changed paths that no command of a grade tells of, nor a directory above or a file below."""
    paths = {path for command in graded.commands for path in command.changes}
    told = {os.path.normpath(path.removesuffix(f"/{BELOW}")) for path in paths}
    return {
        path
        for path in changed
        if not any(f"{path}/".startswith(f"{t}/") or t.startswith(f"{path}/") for t in told)
    }


def soak(count: int, seed: int) -> Tally:
    """Checks `count` random lines."""
    tally, lines = Tally(), Lines(seed)
    with tempfile.TemporaryDirectory(prefix="slate-files-", dir="/var/tmp") as top:
        bed = Bed(Path(top).resolve())
        book = Rulebook(str(bed.top))
        book.take("")
        reach = ProtectedRoots((str(bed.project),))
        grader = Grader(Machine("/usr/bin:/bin"), reach, book.rules)
        for _ in range(count):
            check(lines.one(), bed, grader, tally)
    return tally


def check(line: str, bed: Bed, grader: Grader, tally: Tally) -> None:
    """Runs one line and compares."""
    bed.fresh()
    graded = grader.grade(line, Setting(str(bed.project), str(bed.top)))
    tally.lines += 1
    if graded.tier is Tier.CONFIRM:
        return
    tally.below_confirm += 1
    before = bed.state()
    printed = bed.run(line)
    after = bed.state()
    changed = {path for path in before | after if before.get(path) != after.get(path)}
    tally.changed += len(changed)
    if unknown := stray(changed, graded):
        tally.misses.append(f"{line!r} changed {sorted(unknown)}")
    if bed.shown(printed):
        tally.misses.append(f"{line!r} showed a secret")


def main(arguments: list[str]) -> int:
    """Runs the oracle and prints what it found; 1 if anything was missed."""
    parser = argparse.ArgumentParser(prog="file_oracle", description=__doc__)
    parser.add_argument("--count", type=int, default=5_000, help="how many command lines")
    parser.add_argument("--seed", type=int, default=1, help="the same seed makes the same lines")
    options = parser.parse_args(arguments)
    tally = soak(options.count, options.seed)
    print(
        f"{tally.lines} lines; {tally.below_confirm} below confirm changed {tally.changed} paths;"
        f" {len(tally.misses)} misses"
    )
    for miss in tally.misses:
        print(miss)
    return 1 if tally.misses else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
