"""Checks that a parsed command line hides nothing: every byte lies in a leaf of a known shape or a harmless gap."""

from __future__ import annotations

import re

import tree_sitter_bash
from tree_sitter import Language, Node, Parser

PARSER = Parser(Language(tree_sitter_bash.language()))
LONGEST = 100_000
DEEPEST = 60

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
BARE = re.compile(r"(?:[^ \t\n\\'\"`$&|;<>()]|\\(?s:.))+")
IN_QUOTES = re.compile(r"(?:[^\\`$\"]|\\(?s:.)|\$(?![A-Za-z0-9_({@*#?!$\[-]))*")
IN_HEREDOC = re.compile(r"(?:[^\\`$]|\\(?s:.)|\$(?![A-Za-z0-9_({@*#?!$\[-]))*")
SINGLE = re.compile(r"'[^']*'")
ANSI = re.compile(r"\$'(?:[^'\\]|\\(?s:.))*'")
DIGITS = re.compile(r"[0-9]+")
DESCRIPTOR = re.compile(r"[0-9]+-?|-")
DELIMITER = re.compile(r"[A-Za-z0-9_.!-]+|'[A-Za-z0-9_.! -]+'|\"[A-Za-z0-9_.! -]+\"")
SPACES = re.compile(r"(?:[ \t]|\\\n)*")
CONTINUED = re.compile(r"(?<!\\)((?:\\\\)*)\\\n")
"""A continued line: exact wherever no single quote, here-document or comment can hold it."""
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]|[\ud800-\udfff]")
EXPANSION = re.compile(
    r"\$\{(?:"
    r"(?P<plain>[A-Za-z_][A-Za-z0-9_]*|[0-9]+|[?#$!@*-])"
    r"|#[A-Za-z_][A-Za-z0-9_]*"
    r"|(?P<cut>[A-Za-z_][A-Za-z0-9_]*)(?:\[[0-9@*]+\]|(?:%%?|##?)[\w.*?/:@,+=-]*|:[0-9]+(?::[0-9]+)?"
    r"|:?[-+?][\w./:@%,+=-]*|//?[\w.*:@,+=-]+/[\w.:@,+=-]*|\^\^?|,,?)"
    r")\}"
)
ARITHMETIC = re.compile(r"\$\(\([0-9 \t+*/%()<>=!&|^~?:-]*\)\)")


class Unresolved(Exception):
    """What this line runs cannot be read off; `reason` says why, for a person."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Source:
    """A parsed command line and the bytes its nodes point into."""

    def __init__(self, text: str) -> None:
        if len(text) > LONGEST:
            raise Unresolved(f"it is longer than {LONGEST} characters")
        if CONTROL.search(text):
            raise Unresolved("it holds control characters")
        if "\\\n" in text and not re.search(r"'|<<|#", text):
            text = CONTINUED.sub(r"\1", text)
        self.data = text.encode()
        self.root = PARSER.parse(self.data).root_node
        if self.root.has_error:
            raise Unresolved("it does not parse as shell")

    def text(self, node: Node) -> str:
        """The node's own text."""
        return self.data[node.start_byte : node.end_byte].decode()

    def between(self, start: int, end: int) -> str:
        """The text of a stretch of bytes."""
        return self.data[start:end].decode()

    def check_inline(self, before: int, after: int) -> None:
        """A gap inside of one command: blanks and continued lines only."""
        if not SPACES.fullmatch(self.between(before, after)):
            raise Unresolved("part of it is hidden between words")

    def check_blank(self, before: int, after: int) -> None:
        """A gap between two words: at least one blank that bash sees as one."""
        self.check_inline(before, after)
        if not self.between(before, after).replace("\\\n", ""):
            raise Unresolved("two words stand beside each other without a blank")

    def check_block(self, before: int, after: int) -> bool:
        """A gap between commands: blanks and newlines only. Returns whether it separates them."""
        gap = self.between(before, after).replace("\\\n", "")
        if gap.strip(" \t\n"):
            raise Unresolved("part of it is hidden between commands")
        return "\n" in gap

    def check_comment(self, node: Node) -> None:
        """A comment is one only at a word's start, and ends with its line."""
        text = self.text(node)
        start = node.start_byte
        if not text.startswith("#") or "\n" in text:
            raise Unresolved("a comment has an odd shape")
        if start and self.data[start - 1] not in b" \t\n;&|(":
            raise Unresolved("a comment starts inside of a word")
        if self.data[start - 2 : start] == b"\\\n":
            raise Unresolved("a comment stands on a continued line")
        after = self.data[node.end_byte : node.end_byte + 1]
        if after not in {b"", b"\n"}:
            raise Unresolved("a comment ends before its line does")


def need(pattern: re.Pattern[str], text: str, what: str) -> str:
    """`text` if the pattern covers all of it, else Unresolved."""
    if not pattern.fullmatch(text):
        raise Unresolved(f"{what} has a shape that is not understood")
    return text
