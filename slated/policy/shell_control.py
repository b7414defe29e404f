"""Reads the nodes that join commands: pipes, lists, loops, cases, functions."""

from __future__ import annotations

from dataclasses import replace

from tree_sitter import Node

from slated.policy import syntax
from slated.policy.shell_walk import INHERITED, Place, Walk
from slated.policy.syntax import Unresolved
from slated.policy.words import UNKNOWN, Assignment, Command, Feed, Stdin, Word


def inner_block(walk: Walk, node: Node, place: Place) -> None:
    """`( … )`, `{ … }`, `if …`: whatever is inside may run or not."""
    if walk.source.text(node).startswith("(("):
        raise Unresolved("it has an arithmetic command")
    walk.block(node, place.inside())


def loop(walk: Walk, node: Node, place: Place) -> None:
    """`while … do … done` and the like: runs any number of times."""
    walk.block(node, replace(place.inside(), repeated=True))


def pipeline(walk: Walk, node: Node, place: Place) -> None:
    """Stages of a pipe; each reads what the one before it writes."""
    end, stdin = node.start_byte, place.stdin
    for child in node.children:
        operator_gap(walk, child, end)
        if child.is_named:
            before = len(walk.commands)
            walk.statement(child, replace(place.inside(), stdin=stdin))
            alone = child.type == "command" and len(walk.commands) > before
            stdin = Stdin(Feed.PIPE, upstream=walk.commands[-1] if alone else None)
        else:
            walk.token(child)
        end = child.end_byte


def andor(walk: Walk, node: Node, place: Place) -> None:
    """`a && b || c`, and `! a`: only the first command surely runs."""
    end, first, inner = node.start_byte, True, place
    done: tuple[int, ...] = ()
    chained = all(child.is_named or child.type == "&&" for child in node.children)
    for child in node.children:
        operator_gap(walk, child, end)
        if child.is_named:
            walk.statement(child, inner if first else inner.inside())
            first, done = False, done + succeeded(walk, child)
        else:
            walk.token(child)
            guards = place.guards + done if child.type == "&&" else place.guards
            inner = replace(place, guards=guards)
        end = child.end_byte
    if chained:
        walk.succeeded[node.id] = done


def succeeded(walk: Walk, node: Node) -> tuple[int, ...]:
    """Commands that must have succeeded when this statement has."""
    if node.type == "list":
        return walk.succeeded.get(node.id, ())
    return (len(walk.commands) - 1,) if node.type == "command" else ()


def operator_gap(walk: Walk, child: Node, end: int) -> None:
    """A newline may follow an operator, never stand before one."""
    if child.is_named:
        walk.source.check_block(end, child.start_byte)
    else:
        walk.source.check_inline(end, child.start_byte)


def for_loop(walk: Walk, node: Node, place: Place) -> None:
    """`for` and `select`: the variable takes each word in turn."""
    variable, body = node.child_by_field_name("variable"), node.child_by_field_name("body")
    if (
        body is None
        or body.type != "do_group"
        or variable is None
        or variable.type != "variable_name"
    ):
        raise Unresolved("a for loop has an odd shape")
    end, values, has_list = node.start_byte, list[Word](), False
    for child in node.children:
        walk.source.check_block(end, child.start_byte)
        end = child.end_byte
        if child in (variable, body):
            continue
        if child.is_named:
            values += walk.expander(place.inside()).words(child)
        elif child.type not in {"for", "in", ";"}:
            raise Unresolved("a for loop has an odd shape")
        has_list |= child.type == "in"
    name = walk.source.text(variable)
    value = each(values) if has_list else None
    walk.set_variable(name, value, Place(certain=True), foreign=value is None)
    taken = Assignment(name, tuple(values))
    head = walk.source.between(node.start_byte, body.start_byte).strip("; \n")
    walk.commands.append(Command((), head, assignments=(taken,)))
    loop(walk, body, place)
    walk.known.pop(name, None)


def each(values: list[Word]) -> Word | None:
    """One word that stands for any of a loop's words, or None when one of them comes from outside."""
    if not values or any(word.foreign or word.splits for word in values):
        return None
    if len(values) == 1:
        return values[0]
    texts = [word.head for word in values]
    shared = 0
    while all(len(text) > shared and text[shared] == texts[0][shared] for text in texts):
        shared += 1
    return Word(values[0].source, texts[0][:shared] + UNKNOWN, literal=False)


def case(walk: Walk, node: Node, place: Place) -> None:
    """`case word in …`: every branch may run."""
    end = node.start_byte
    for child in node.children:
        walk.source.check_block(end, child.start_byte)
        end = child.end_byte
        if child.type == "case_item":
            case_item(walk, child, place)
        elif child.is_named:
            walk.expander(place.inside()).word(child)
        elif child.type not in {"case", "in", "esac", ";"}:
            raise Unresolved("a case has an odd shape")


def case_item(walk: Walk, node: Node, place: Place) -> None:
    """Patterns up to `)`, then statements."""
    close = next((i for i, child in enumerate(node.children) if child.type == ")"), None)
    if close is None:
        raise Unresolved("a case has an odd shape")
    end, separated = node.start_byte, True
    for index, child in enumerate(node.children):
        separated |= walk.source.check_block(end, child.start_byte)
        end = child.end_byte
        if index < close and child.is_named:
            walk.expander(place.inside()).word(child)
        elif child.type == "comment":
            walk.source.check_comment(child)
        elif child.is_named:
            if not separated:
                raise Unresolved("two commands stand beside each other without a separator")
            walk.statement(child, place.inside())
            separated = False
        elif child.type in {"|", ")", "(", ";;", ";&", ";;&", ";", "&"}:
            separated = True
        else:
            raise Unresolved("a case has an odd shape")


def function(walk: Walk, node: Node, place: Place) -> None:
    """A definition: its body may run at any later time, so it counts as run."""
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if name is None or body is None or body.type not in {"compound_statement", "subshell"}:
        raise Unresolved("a function has an odd shape")
    end = node.start_byte
    for child in node.children:
        walk.source.check_block(end, child.start_byte)
        if child not in (name, body) and child.type not in {"function", "(", ")"}:
            raise Unresolved("a function has an odd shape")
        end = child.end_byte
    text = syntax.need(syntax.NAME, walk.source.text(name), "a function's name")
    walk.defines = True
    if place.certain:
        walk.functions.add(text)
    loop(walk, body, replace(place, stdin=INHERITED))
