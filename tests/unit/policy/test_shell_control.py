"""Pipes, lists, loops, cases and functions: order, certainty, repetition."""

from __future__ import annotations

from slated.policy.shell import parse
from slated.policy.shell_control import each
from slated.policy.words import UNKNOWN, Command, Word, plain


def commands(text: str) -> dict[str, Command]:
    script = parse(text)
    assert not script.problem, script.problem
    return {command.name or "": command for command in script.commands}


def test_only_what_surely_runs_is_certain() -> None:
    found = commands("a && b; c | d; (e); if f; then g; fi; h &\ni")
    assert {name for name, command in found.items() if command.certain} == {"a", "i"}


def test_loops_and_functions_repeat() -> None:
    found = commands("a; while b; do c; done; f() { d; }")
    assert {name for name, command in found.items() if command.repeated} == {"b", "c", "d"}


def test_guards_are_the_commands_that_succeeded_before() -> None:
    script = parse("a && b && c || d; e")
    guards = {
        command.name: [script.commands[i].name for i in command.guards]
        for command in script.commands
    }
    assert guards == {"a": [], "b": ["a"], "c": ["a", "b"], "d": [], "e": []}


def test_the_other_end_of_a_pipe_is_known_if_it_is_one_command() -> None:
    upstream = commands("a x | b")["b"].stdin.upstream
    assert upstream is not None
    assert upstream.name == "a"
    assert commands("(a; c) | b")["b"].stdin.upstream is None


def test_a_loop_s_words_share_their_start() -> None:
    shared = each([plain("src/a"), plain("src/b")])
    assert shared is not None
    assert shared.text == f"src/{UNKNOWN}"
    assert each([plain("a"), Word("$X", UNKNOWN, foreign=True)]) is None


def test_only_functions_that_are_surely_defined_are_known() -> None:
    assert parse("f() { a; }").functions == {"f"}
    assert parse("x && f() { a; }").functions == frozenset()
