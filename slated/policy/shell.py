"""Reads a command line into its simple commands, by an allow-list of parse-tree shapes; anything else is a problem."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tree_sitter import Node

from slated.policy import shell_commands, shell_control
from slated.policy.shell_walk import Names, Place, Walk
from slated.policy.syntax import Source, Unresolved
from slated.policy.words import Script

STATEMENTS: Mapping[str, Callable[[Walk, Node, Place], None]] = {
    "command": shell_commands.simple,
    "redirected_statement": shell_commands.redirected,
    "variable_assignment": shell_commands.lone_assignment,
    "variable_assignments": shell_commands.lone_assignment,
    "declaration_command": shell_commands.declaration,
    "unset_command": shell_commands.declaration,
    "test_command": shell_commands.test_command,
    "pipeline": shell_control.pipeline,
    "list": shell_control.andor,
    "negated_command": shell_control.andor,
    "subshell": shell_control.inner_block,
    "compound_statement": shell_control.inner_block,
    "if_statement": shell_control.inner_block,
    "elif_clause": shell_control.inner_block,
    "else_clause": shell_control.inner_block,
    "do_group": shell_control.loop,
    "while_statement": shell_control.loop,
    "for_statement": shell_control.for_loop,
    "case_statement": shell_control.case,
    "function_definition": shell_control.function,
}


def parse(text: str, given: Mapping[str, str] | None = None) -> Script:
    """The simple commands of a line of bash, in the order they are written.

    `given` are variables whose values are known (HOME, PWD). Never raises: what cannot be read is `Script.problem`.
    """
    try:
        source = Source(text)
        first = Walk(source, STATEMENTS, given or {}, Names())
        first.run()
        if not first.setters:
            return first.script()
        second = Walk(source, STATEMENTS, given or {}, first.names_found())
        second.run()
        return second.script()
    except Unresolved as problem:
        return Script((), problem=problem.reason)
