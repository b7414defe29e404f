"""Reads simple commands: words, assignments, redirections, here-documents."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from tree_sitter import Node

from slated.policy import syntax
from slated.policy.setters import RESERVED, names_set_by
from slated.policy.shell_walk import Place, Walk
from slated.policy.syntax import Unresolved
from slated.policy.words import Assignment, Command, Feed, Redirection, Stdin, Word, plain

FILES = {"<", ">", ">>", ">|", "&>", "&>>", ">&"}
CLOSES = {"<&-", ">&-"}
TEST_TOKENS = {
    "[",
    "]",
    "[[",
    "]]",
    "!",
    "&&",
    "||",
    "-a",
    "-o",
    "=",
    "==",
    "!=",
    "<",
    ">",
    "=~",
    "(",
    ")",
    "-",
}
ARITHMETIC_TESTS = {"-eq", "-ne", "-lt", "-le", "-gt", "-ge"}


@dataclass(slots=True)
class Parts:
    """A simple command as it is put together."""

    argv: list[Word] = field(default_factory=list)
    assignments: list[Assignment] = field(default_factory=list)
    redirections: list[Redirection] = field(default_factory=list)
    stdin: Stdin | None = None
    tail: list[Node] = field(default_factory=list)
    """Statements that the grammar put inside of a here-document's redirection."""


def simple(walk: Walk, node: Node, place: Place) -> None:
    """A command without redirections behind it."""
    parts = Parts()
    fill(walk, node, place, parts)
    finish(walk, node, place, parts)


def fill(walk: Walk, node: Node, place: Place, parts: Parts) -> None:
    """Takes a command node's children apart; words must have blanks between them."""
    expander, end = walk.expander(place), node.start_byte
    for index, child in enumerate(node.children):
        if index:
            walk.source.check_blank(end, child.start_byte)
        end = child.end_byte
        if child.type in {"file_redirect", "herestring_redirect", "heredoc_redirect"}:
            redirect(walk, child, place, parts)
        elif child.type == "variable_assignment":
            parts.assignments.append(assignment(walk, child, place))
        elif child.type == "command_name":
            inner = child.children
            if len(inner) != 1 or inner[0].byte_range != child.byte_range:
                raise Unresolved("a command name has an odd shape")
            parts.argv += expander.words(inner[0])
        else:
            parts.argv += expander.words(child)


def finish(walk: Walk, node: Node, place: Place, parts: Parts) -> None:
    """Checks the command's name and notes the command."""
    if parts.argv and parts.argv[0].source in RESERVED:
        raise Unresolved(f"the reserved word {parts.argv[0].source} stands as a command name")
    if any(word.source.startswith("#") for word in parts.argv):
        raise Unresolved("a word looks like a comment")
    alone = not parts.argv
    for item in parts.assignments:
        value = item.values[0] if alone and len(item.values) == 1 else None
        foreign = any(word.foreign for word in item.values)
        walk.set_variable(item.name, value, place if alone else place.inside(), foreign=foreign)
    for name, foreign in names_set_by(tuple(parts.argv)):
        walk.set_variable(name, None, place, foreign=foreign)
    walk.commands.append(
        Command(
            argv=tuple(parts.argv),
            source=walk.source.text(node),
            assignments=tuple(parts.assignments),
            redirections=tuple(parts.redirections),
            stdin=parts.stdin or place.stdin,
            repeated=place.repeated,
            certain=place.certain,
            guards=place.guards,
        )
    )


def assignment(walk: Walk, node: Node, place: Place) -> Assignment:
    """`name=value` or `name=(…)`; an element with a computed index is a problem."""
    name = node.child_by_field_name("name")
    if name is None or name.type != "variable_name":
        raise Unresolved("an array element is set")
    values: list[Word] = []
    end = node.start_byte
    for child in node.children:
        if child.start_byte != end:
            raise Unresolved("part of an assignment is hidden")
        end = child.end_byte
        if child == name:
            continue
        if child.type == "array":
            values += array(walk, child, place)
        elif child.type == "+=":
            values.append(Word("", "\0"))
        elif child.type != "=":
            values.append(walk.expander(place).word(child))
    if end != node.end_byte:
        raise Unresolved("part of an assignment is hidden")
    return Assignment(
        syntax.need(syntax.NAME, walk.source.text(name), "a name"), tuple(values) or (plain(""),)
    )


def array(walk: Walk, node: Node, place: Place) -> list[Word]:
    """The elements of `( … )`, and one unknown so that the array never counts as a known value."""
    values = [Word("", "\0")]
    end = node.start_byte
    for child in node.children:
        walk.source.check_block(end, child.start_byte)
        end = child.end_byte
        if child.is_named:
            values += walk.expander(place).words(child)
        elif child.type not in {"(", ")"}:
            raise Unresolved("an array has an odd shape")
    return values


def lone_assignment(walk: Walk, node: Node, place: Place) -> None:
    """A statement that only assigns."""
    parts = Parts()
    nodes = [node] if node.type == "variable_assignment" else node.children
    end = node.start_byte
    for child in nodes:
        walk.source.check_inline(end, child.start_byte)
        parts.assignments.append(assignment(walk, child, place))
        end = child.end_byte
    finish(walk, node, place, parts)


def declaration(walk: Walk, node: Node, place: Place) -> None:
    """`export`, `declare` and their kin, and `unset`: a builtin whose words may be assignments."""
    parts = Parts([plain(node.children[0].type)])
    if walk.source.text(node.children[0]) != node.children[0].type:
        raise Unresolved("a declaration has an odd shape")
    end = node.children[0].end_byte
    for child in node.children[1:]:
        walk.source.check_blank(end, child.start_byte)
        end = child.end_byte
        if child.type == "variable_assignment":
            item = assignment(walk, child, place)
            parts.argv.append(
                Word(walk.source.text(child), f"{item.name}={item.values[0].text}", glob=True)
            )
            parts.assignments.append(item)
        elif child.type == "variable_name":
            parts.argv.append(plain(syntax.need(syntax.NAME, walk.source.text(child), "a name")))
        else:
            parts.argv += walk.expander(place).words(child)
    finish(walk, node, place, parts)


def test_command(walk: Walk, node: Node, place: Place) -> None:
    """`[ … ]` and `[[ … ]]`: only its substitutions run anything, if no operand is read as arithmetic."""
    words: list[Word] = []
    test_words(walk, node, place, words)
    double = walk.source.text(node).startswith("[[")
    for word in words:
        if double and word.text in ARITHMETIC_TESTS:
            raise Unresolved("a [[ test compares numbers, which may run substitutions")
        if word.text in {"-v", "-R"}:
            raise Unresolved("a test looks at a variable by name, which may run substitutions")
    walk.commands.append(
        Command((plain("test"), *words), walk.source.text(node), stdin=place.stdin)
    )


def test_words(walk: Walk, node: Node, place: Place, words: list[Word]) -> None:
    end = node.start_byte
    for child in node.children:
        walk.source.check_block(end, child.start_byte)
        end = child.end_byte
        if child.type in {"unary_expression", "binary_expression", "parenthesized_expression"}:
            test_words(walk, child, place, words)
        elif child.type == "test_operator":
            words.append(plain(walk.source.text(child)))
        elif child.is_named:
            words.append(walk.expander(place).word(child))
        elif child.type not in TEST_TOKENS or walk.source.text(child) != child.type:
            raise Unresolved("a test has an odd shape")
    walk.source.check_block(end, node.end_byte)


def redirected(walk: Walk, node: Node, place: Place) -> None:
    """A statement with redirections behind it. The body may be missing (`> file`).

    The grammar gives no node to a lone `-` before a here-document (tree-sitter-bash 0.25.1); it is a word.
    """
    parts, end = Parts(), node.start_byte
    body = node.child_by_field_name("body")
    simple_body = body is not None and body.type == "command"
    if simple_body and body is not None:
        fill(walk, body, place, parts)
    for child in node.children:
        if simple_body and walk.source.between(end, child.start_byte).split() == ["-"]:
            parts.argv.append(plain("-"))
        else:
            walk.source.check_inline(end, child.start_byte)
        end = child.end_byte
        if child != body:
            before = len(parts.argv)
            redirect(walk, child, place, parts)
            if len(parts.argv) > before and not simple_body:
                raise Unresolved("words follow the redirection of a group")
    if simple_body or body is None:
        finish(walk, node, place, parts)
    elif body.type in {"list", "pipeline"}:
        of_the_last(walk, node, body, place, parts)
    else:
        inner = place if parts.stdin is None else replace(place, stdin=parts.stdin)
        finish(walk, node, place, Parts(redirections=parts.redirections))
        walk.statement(body, inner.inside())
    for tail in parts.tail:
        tail_place = (
            replace(place.inside(), stdin=Stdin(Feed.PIPE))
            if tail.type == "pipeline"
            else place.inside()
        )
        walk.statement(tail, tail_place)


def of_the_last(walk: Walk, node: Node, body: Node, place: Place, parts: Parts) -> None:
    """Redirections that the grammar puts behind a whole list or pipe: bash gives them to its last command alone."""
    last = body.named_children[-1]
    if parts.stdin is not None:
        walk.feeds[last.id] = parts.stdin
    walk.statement(body, place)
    guards = walk.commands[-1].guards if last.type == "command" else place.guards
    finish(
        walk,
        node,
        replace(place.inside(), guards=guards),
        Parts(redirections=parts.redirections),
    )


def redirect(walk: Walk, node: Node, place: Place, parts: Parts) -> None:
    """One redirection; words that follow its file belong to the command."""
    if node.type == "heredoc_redirect":
        heredoc(walk, node, place, parts)
        return
    end = node.start_byte
    operator, words = "", list[Word]()
    for child in node.children:
        walk.source.check_inline(end, child.start_byte)
        end = child.end_byte
        if child.type == "file_descriptor":
            syntax.need(syntax.DIGITS, walk.source.text(child), "a descriptor")
        elif not child.is_named and not operator:
            operator = walk.source.text(child)
        elif len(words) == 0:
            words.append(walk.expander(place).word(child))
        else:
            words += walk.expander(place).words(child)
    note_redirection(operator, words, parts)


def note_redirection(operator: str, words: list[Word], parts: Parts) -> None:
    """Adds a redirection to the command."""
    if operator == "<<<" and len(words) == 1:
        text = replace(words[0], text=words[0].text + "\n", glob=False)
        parts.stdin = Stdin(Feed.TEXT, text)
    elif operator in CLOSES and not words:
        parts.redirections.append(Redirection(operator, None))
    elif operator in FILES | {"<&"} and words:
        first = words[0]
        copied = operator in {">&", "<&"} and syntax.DESCRIPTOR.fullmatch(first.exact or "")
        if operator == "<&" and not copied:
            raise Unresolved("an input descriptor is copied from an unknown one")
        parts.redirections.append(Redirection(operator, None if copied else first))
        if operator == "<":
            parts.stdin = Stdin(Feed.FILE, first)
        elif operator == "<&":
            parts.stdin = Stdin(Feed.FILE, None)
        parts.argv += words[1:]
    else:
        raise Unresolved("a redirection has an odd shape")


def heredoc(walk: Walk, node: Node, place: Place, parts: Parts) -> None:
    """A here-document, and what the grammar hangs inside of its node: redirections, words, the rest of the line."""
    kinds = {child.type: child for child in node.children}
    start, last, body = (
        kinds.get("heredoc_start"),
        kinds.get("heredoc_end"),
        kinds.get("heredoc_body"),
    )
    if start is None or last is None or sum(c.type == "heredoc_start" for c in node.children) != 1:
        raise Unresolved("a here-document has an odd shape")
    written = walk.source.text(start)
    delimiter = syntax.need(syntax.DELIMITER, written, "a here-document's end mark").strip("'\"")
    strips = "<<-" in kinds
    text = walk.source.text(body) if body is not None else ""
    if written == delimiter and "\\\n" in text:
        raise Unresolved("a here-document holds a continued line, which may hide its end")
    lines = [line.lstrip("\t") if strips else line for line in text.split("\n")[:-1]]
    if walk.source.text(last) != delimiter or delimiter in lines:
        raise Unresolved("a here-document's end is not clear")
    line_start = walk.source.data.rfind(b"\n", 0, last.start_byte) + 1
    if walk.source.data[line_start : last.start_byte].strip(b"\t" if strips else b""):
        raise Unresolved("a here-document's end is not clear")
    if walk.source.data[last.end_byte : last.end_byte + 1] not in {b"", b"\n", b")"}:
        raise Unresolved("a here-document's end is not clear")
    body_start = body.start_byte if body is not None else line_start
    if walk.source.data.count(b"\n", start.end_byte, body_start) != 1:
        raise Unresolved("a here-document's line does not end where its text begins")
    before = walk.source.data[start.end_byte : body_start]
    if not (before.rstrip(b"\t") if strips else before).endswith(b"\n"):
        raise Unresolved("a here-document's line does not end where its text begins")
    parts.stdin = Stdin(Feed.TEXT, walk.expander(place).heredoc(body, written != delimiter, strips))
    heredoc_rest(walk, node, place, parts)


def heredoc_rest(walk: Walk, node: Node, place: Place, parts: Parts) -> None:
    """The children of a here-document's node that are not the document."""
    end = node.start_byte
    for child in node.children:
        walk.source.check_block(end, child.start_byte)
        end = child.end_byte
        if child.type in {"file_redirect", "herestring_redirect"}:
            redirect(walk, child, place, parts)
        elif child.type in {"pipeline", "list", "command", "redirected_statement"}:
            parts.tail.append(child)
        elif child.type in {"&&", "||"} and walk.source.text(child) == child.type:
            continue
        elif child.type not in {"<<", "<<-", "heredoc_start", "heredoc_body", "heredoc_end"}:
            raise Unresolved(f"a here-document's line holds a {child.type.replace('_', ' ')}")
