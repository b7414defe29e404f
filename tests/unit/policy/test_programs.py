"""Names and programs: builtins, functions, redefined names, system directories, planted files."""

from __future__ import annotations

from slated.policy.effects import Ask, Effect, Note, Opaque
from slated.policy.facts import Program
from slated.policy.programs import look_up
from slated.policy.shell import parse
from tests.fakes.policy_world import facts


def effects(
    text: str, machine: object = None, functions: frozenset[str] = frozenset()
) -> list[Effect]:
    (command,) = parse(text).commands
    world = machine if machine is not None else facts()
    return look_up(command, functions, ("/p",), world).effects  # type: ignore[arg-type] # a made-up machine


def test_a_name_that_an_alias_covers_is_opaque_even_for_a_builtin() -> None:
    machine = facts()
    machine.programs["echo"] = Program(None, system=False, redefined=True)
    assert isinstance(effects("echo x", machine)[0], Opaque)


def test_a_function_of_the_line_is_quiet_but_a_known_program_of_its_name_counts_too() -> None:
    assert effects("f x", functions=frozenset(["f"])) == [
        Note("shell.function", "a function of this line, whose body is graded itself")
    ]
    assert len(effects("rm x", functions=frozenset(["rm"]))) == 2


def test_a_planted_program_is_opaque_and_keeps_the_warnings_of_its_name() -> None:
    machine = facts()
    machine.programs["sudo"] = Program("/p/sudo", system=False)
    found = effects("sudo ls", machine)
    assert isinstance(found[0], Opaque)
    assert any(isinstance(effect, Ask) and effect.rule == "privilege" for effect in found)


def test_a_path_that_leads_nowhere_is_opaque() -> None:
    machine = facts()
    machine.programs["./x"] = Program(None, system=False)
    assert isinstance(effects("./x", machine)[0], Opaque)
