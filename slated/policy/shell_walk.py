"""One pass over a parse tree: collects commands, and accounts for every gap and token between statements."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from tree_sitter import Node

from slated.policy import syntax
from slated.policy.expand import Expander, Variables
from slated.policy.syntax import Source, Unresolved
from slated.policy.words import Command, Feed, Script, Stdin, Word

INHERITED = Stdin()
SEPARATORS = {
    ";", "&", "do", "then", "else", "elif", "if", "while", "until", "{", "(", "$(", "`",
    "<(", ">(", "in",
    ")", "|", "||", "&&", "|&", "!",
}  # fmt: skip
CLAUSES = {"elif_clause", "else_clause"}
"""Blocks that start with a reserved word of their own."""
BLOCK_TOKENS = SEPARATORS | {"}", "done", "fi", "esac"}


@dataclass(frozen=True, slots=True)
class Setter:
    """One place that sets a variable; `value` only if it surely runs, once, before what is written after it."""

    name: str
    value: Word | None
    foreign: bool
    """The value may come from outside of the line."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where in the line a node stands."""

    stdin: Stdin = INHERITED
    repeated: bool = False
    certain: bool = False
    """Runs for sure, once, in the shell itself, before what is written after it."""
    guards: tuple[int, ...] = ()
    """Places in the list of commands that have succeeded whenever this one runs."""

    def inside(self) -> Place:
        return replace(self, certain=False)


@dataclass(frozen=True, slots=True)
class Names:
    """What an earlier pass found out about variables; empty in the first pass."""

    fixed: frozenset[str] = frozenset()
    """Set once, surely, before what is written after it."""
    assigned: frozenset[str] = frozenset()
    foreign: frozenset[str] = frozenset()


EVERYTHING = "*"
"""As the name of a setter: any variable may be set."""


@dataclass(slots=True)
class Walk:
    """The state of a pass. `statements` says how each kind of node is read; any other kind is a problem."""

    source: Source
    statements: Mapping[str, Callable[[Walk, Node, Place], None]]
    given: Mapping[str, str]
    names: Names
    commands: list[Command] = field(default_factory=list)
    setters: list[Setter] = field(default_factory=list)
    functions: set[str] = field(default_factory=set)
    defines: bool = False
    known: dict[str, Word] = field(default_factory=dict)
    depth: int = 0
    succeeded: dict[int, tuple[int, ...]] = field(default_factory=dict)
    """By the id of a list node: commands that have succeeded when the list has."""
    feeds: dict[int, Stdin] = field(default_factory=dict)
    """By the id of a node: standard input that is redirected for it alone."""

    def run(self) -> None:
        self.block(self.source.root, Place(certain=True))

    def script(self) -> Script:
        assigned = frozenset(setter.name for setter in self.setters)
        return Script(tuple(self.commands), assigned, frozenset(self.functions), self.defines)

    def names_found(self) -> Names:
        """What this pass found out about variables, for the next one."""
        counts: dict[str, int] = {}
        for setter in self.setters:
            counts[setter.name] = counts.get(setter.name, 0) + 1
        return Names(
            fixed=frozenset(
                s.name for s in self.setters if counts[s.name] == 1 and s.value is not None
            ),
            assigned=frozenset(counts),
            foreign=frozenset(s.name for s in self.setters if s.foreign),
        )

    def set_variable(self, name: str, value: Word | None, place: Place, *, foreign: bool) -> None:
        """Notes that a variable is set here."""
        known = value if place.certain else None
        self.setters.append(Setter(name, known, foreign))
        if known is not None and name in self.names.fixed:
            self.known[name] = known

    def expander(self, place: Place) -> Expander:
        """Reads words at this place; commands in their substitutions are collected first."""
        variables = Variables(
            given=self.given,
            fixed=self.known,
            assigned=self.names.assigned,
            foreign_names=self.names.foreign,
            everything=EVERYTHING in self.names.assigned,
        )
        return Expander(self.source, variables, lambda node: self._substitution(node, place))

    def _substitution(self, node: Node, place: Place) -> str | None:
        text = self.source.text(node).lstrip(" \t\n")
        if text.startswith("`") and "\\" in text:
            raise Unresolved("a backtick substitution holds a backslash")
        if text.startswith("$(("):
            raise Unresolved("a substitution looks like arithmetic")
        stdin = Stdin(Feed.PIPE) if text.startswith(">(") else place.stdin
        before = len(self.commands)
        self.block(node, replace(place.inside(), stdin=stdin))
        return None if self.defines else printed(self.commands[before:])

    def statement(self, node: Node, place: Place) -> None:
        """One statement of any kind."""
        self.depth += 1
        if self.depth > syntax.DEEPEST:
            raise Unresolved("it is nested too deeply")
        read = self.statements.get(node.type)
        if read is None:
            raise Unresolved(f"it has a {node.type.replace('_', ' ')}")
        fed = self.feeds.get(node.id)
        read(self, node, place if fed is None else replace(place, stdin=fed))
        self.depth -= 1

    def block(self, node: Node, place: Place) -> None:
        """Statements in a row, with every gap and token between them accounted for."""
        separated, end = True, node.start_byte
        children = node.children
        for index, child in enumerate(children):
            separated |= self.source.check_block(end, child.start_byte)
            if child.type == "comment":
                self.source.check_comment(child)
            elif child.is_named:
                if not separated and child.type not in CLAUSES:
                    raise Unresolved("two commands stand beside each other without a separator")
                later = children[index + 1].type if index + 1 < len(children) else ""
                self.statement(child, place.inside() if later == "&" else place)
                separated = False
            else:
                self.token(child)
                separated = child.type in SEPARATORS
            end = child.end_byte
        self.source.check_block(end, node.end_byte)

    def token(self, node: Node) -> None:
        text = self.source.text(node).strip(" \t\n")
        if node.type not in BLOCK_TOKENS or text != node.type:
            raise Unresolved(f"it has an unexpected {node.type}")


def printed(commands: list[Command]) -> str | None:
    """What commands print, known only for a lone `cat` of a text that stands in the line."""
    if len(commands) != 1:
        return None
    (only,) = commands
    alone = not only.redirections and not only.assignments and not only.repeated
    if (
        not alone
        or [word.exact for word in only.argv] != ["cat"]
        or only.stdin.feed is not Feed.TEXT
    ):
        return None
    text = only.stdin.word.exact if only.stdin.word else None
    return None if text is None else text.rstrip("\n")
