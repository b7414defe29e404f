"""Reads parse-tree nodes of words into `Word`s, given what is known about variables."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from tree_sitter import Node

from slated.policy import syntax
from slated.policy.quoting import Piece, ansi, bare, braces, join, unescaped
from slated.policy.syntax import Source, Unresolved
from slated.policy.words import GLOB_CHARACTERS, UNKNOWN, Word

TILDE = re.compile(r"~(?=/|$)")
ASSIGNED = re.compile(r"[A-Za-z_]\w*\+?=(?=~)")
"""A word that looks like an assignment: bash puts the home in there as well, also where it is an argument."""
NEVER_SPLITS = "?#$!"


@dataclass(frozen=True, slots=True)
class Variables:
    """What is known about variables: `given` from outside, `fixed` set once in the line, `assigned` anywhere in it."""

    given: Mapping[str, str]
    fixed: Mapping[str, Word]
    assigned: frozenset[str]
    foreign_names: frozenset[str] = frozenset()
    everything: bool = False
    """Some command may set any variable, so none is known."""

    def value(self, name: str) -> Word | None:
        """The variable's value where it cannot be another one."""
        if self.everything:
            return None
        if name in self.fixed:
            return self.fixed[name]
        if name in self.given and name not in self.assigned:
            return Word(f"${name}", self.given[name])
        return None

    def foreign(self, name: str) -> bool:
        """Whether the value may come from outside of the line."""
        return self.everything or name not in self.assigned or name in self.foreign_names


@dataclass(frozen=True, slots=True)
class Expander:
    """Turns word nodes into words. `substitute` is called with each substitution on the way.

    It returns what the substitution prints, where that can be known.
    """

    source: Source
    variables: Variables
    substitute: Callable[[Node], str | None]

    def words(self, node: Node) -> list[Word]:
        """The words one node makes (several after brace expansion, none for an empty choice)."""
        return braces(self.source.text(node), self._tilde(self._pieces(node)))

    def word(self, node: Node) -> Word:
        """The one word of a place where bash expands no braces: redirections, assignments."""
        return join(self.source.text(node), self._tilde(self._pieces(node)))

    def _tilde(self, pieces: list[Piece]) -> list[Piece]:
        if pieces and not pieces[0].quoted and (named := ASSIGNED.match(pieces[0].text)):
            front, value = pieces[0].text[: named.end()], pieces[0].text[named.end() :]
            after = self._tilde([replace(pieces[0], text=value), *pieces[1:]])
            return [Piece(front, quoted=False), *after]
        if not pieces or pieces[0].quoted or not pieces[0].text.startswith("~"):
            return pieces
        first, home = pieces[0], self.variables.value("HOME")
        alone = len(pieces) == 1 or "/" in first.text
        if not TILDE.match(first.text) or not alone or home is None or home.exact is None:
            return [Piece(UNKNOWN, quoted=True, foreign=True, literal=False), *pieces]
        rest = Piece(first.text[1:], quoted=False)
        return [Piece(home.text, quoted=True, literal=False), rest, *pieces[1:]]

    def _pieces(self, node: Node) -> list[Piece]:
        text = self.source.text(node)
        match node.type:
            case "word" | "number" | "extglob_pattern" if not node.child_count:
                return list(bare(syntax.need(syntax.BARE, text, "a word")))
            case "raw_string":
                return [Piece(syntax.need(syntax.SINGLE, text, "a quoted word")[1:-1], quoted=True)]
            case "ansi_c_string":
                return [Piece(ansi(syntax.need(syntax.ANSI, text, "a $'…' word")), quoted=True)]
            case "string":
                return self._string(node)
            case "concatenation":
                return self._concatenation(node)
            case "simple_expansion" | "expansion":
                return [self._variable(text, quoted=False)]
            case "$":
                return [Piece("$", quoted=True)]
        return [self._computed(node, text)]

    def _computed(self, node: Node, text: str) -> Piece:
        """A part that the shell works out by arithmetic or by running commands."""
        match node.type:
            case "arithmetic_expansion":
                syntax.need(syntax.ARITHMETIC, text, "an arithmetic expansion")
                return Piece(UNKNOWN, quoted=True, literal=False)
            case "command_substitution":
                return self._output(node, quoted=False)
            case "process_substitution":
                self.substitute(node)
                return Piece(UNKNOWN, quoted=True, literal=False, process=True)
        raise Unresolved(f"it has a {node.type.replace('_', ' ')} as a word")

    def _output(self, node: Node, *, quoted: bool) -> Piece:
        """What a command substitution prints: known only for `cat` of a here-document."""
        printed = self.substitute(node)
        if printed is not None and quoted:
            return Piece(printed, quoted=True, literal=False)
        return Piece(UNKNOWN, quoted=quoted, splits=not quoted, foreign=True, literal=False)

    def _concatenation(self, node: Node) -> list[Piece]:
        pieces: list[Piece] = []
        end, dollar = node.start_byte, False
        for child in node.children:
            if child.start_byte != end:
                raise Unresolved("part of a word is hidden")
            if dollar and child.type in {"string", "raw_string", "word"}:
                raise Unresolved("a lone dollar stands before other text")
            pieces += self._pieces(child)
            end, dollar = child.end_byte, child.type == "$"
        return pieces

    def _string(self, node: Node) -> list[Piece]:
        """A double-quoted string. The grammar leaves some of its blanks outside of every node."""
        pieces = [Piece("", quoted=True)]
        first, *inner, last = node.children
        if first.type != '"' or last.type != '"' or first.end_byte - first.start_byte != 1:
            raise Unresolved("a string has an odd shape")
        end = first.end_byte
        for child in inner:
            start = child.start_byte
            if child.type in {"string_content", "$"}:
                continue
            start += self._leading_blanks(child)
            pieces.append(self._quoted_text(end, start))
            pieces.append(self._in_string(child, self.source.between(start, child.end_byte)))
            end = child.end_byte
        pieces.append(self._quoted_text(end, last.end_byte - 1))
        return pieces

    def _leading_blanks(self, node: Node) -> int:
        text = self.source.data[node.start_byte : node.end_byte]
        return len(text) - len(text.lstrip(b" \t\n"))

    def _quoted_text(self, start: int, end: int) -> Piece:
        text = syntax.need(syntax.IN_QUOTES, self.source.between(start, end), "a string")
        return Piece(unescaped(text, '\\"$`'), quoted=True)

    def _in_string(self, node: Node, text: str) -> Piece:
        if node.type in {"simple_expansion", "expansion"}:
            return self._variable(text, quoted=True)
        if node.type == "arithmetic_expansion":
            syntax.need(syntax.ARITHMETIC, text, "an arithmetic expansion")
            return Piece(UNKNOWN, quoted=True, literal=False)
        if node.type == "command_substitution":
            return self._output(node, quoted=True)
        raise Unresolved(f"a string holds a {node.type.replace('_', ' ')}")

    def _variable(self, text: str, *, quoted: bool) -> Piece:
        if not text.startswith("${"):
            text = f"${{{text[1:]}}}"
        found = syntax.EXPANSION.fullmatch(text)
        if not found:
            raise Unresolved("a variable is used in a way that is not understood")
        name = found["plain"] or found["cut"]
        if name is None or name in NEVER_SPLITS:
            return Piece(UNKNOWN, quoted=True, literal=False)
        value = self.variables.value(name) if found["plain"] else None
        if value is None or not self._stays_whole(value, quoted):
            many = not quoted or name in {"@", "*"}
            foreign = self.variables.foreign(name)
            prefix = value.head if value and quoted else ""
            return Piece(prefix + UNKNOWN, quoted=True, splits=many, foreign=foreign, literal=False)
        return Piece(value.text, quoted=quoted and not value.glob, literal=False)

    def _stays_whole(self, value: Word, quoted: bool) -> bool:
        if quoted:
            return UNKNOWN not in value.text
        return bool(value.text) and not set(value.text) & set(" \t\n{~" + GLOB_CHARACTERS + UNKNOWN)

    def heredoc(self, body: Node | None, quoted: bool, strips_tabs: bool) -> Word:
        """The text of a here-document."""
        if body is None:
            return Word("", "")
        text = self.source.text(body)
        if quoted:
            return Word(text, text)
        if strips_tabs and set(text) & {"$", "`", "\\"}:
            raise Unresolved("a here-document with stripped tabs holds expansions")
        pieces: list[Piece] = []
        end = body.start_byte
        for child in body.children:
            if child.type == "heredoc_content":
                continue
            start = child.start_byte + self._leading_blanks(child)
            pieces.append(self._here_text(end, start))
            pieces.append(self._in_string(child, self.source.between(start, child.end_byte)))
            end = child.end_byte
        pieces.append(self._here_text(end, body.end_byte))
        return join(text, pieces)

    def _here_text(self, start: int, end: int) -> Piece:
        text = syntax.need(syntax.IN_HEREDOC, self.source.between(start, end), "a here-document")
        return Piece(unescaped(text, "\\$`"), quoted=True)
