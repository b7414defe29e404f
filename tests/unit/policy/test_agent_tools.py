"""Tool tables: shapes of arguments, and the command line that an argument list means."""

from __future__ import annotations

import shlex

from hypothesis import given
from hypothesis import strategies as st

from slated.policy import agent_tools
from slated.policy.effects import Ask, Deed, Touch


@given(st.lists(st.text(alphabet="ab '\"$`\\\n*", min_size=1), min_size=1))
def test_an_argument_list_becomes_a_line_that_means_exactly_it(argv: list[str]) -> None:
    assert shlex.split(agent_tools.quoted(argv)) == argv


def test_a_patch_names_every_file_it_changes() -> None:
    text = "*** Begin Patch\n*** Add File: a\n+x\n*** Update File: b\n*** Move to: c\n*** Delete File: d\n*** End Patch"
    found = agent_tools.patch({"input": text})
    assert [(t.deed, t.word.text) for t in found if isinstance(t, Touch)] == [
        (Deed.WRITE, "a"), (Deed.WRITE, "b"), (Deed.WRITE, "c"), (Deed.DELETE, "d"),
    ]  # fmt: skip


def test_arguments_of_another_shape_are_a_question() -> None:
    for client in agent_tools.CLIENTS.values():
        for name in ("Read", "Write", "Bash", "exec_command", "apply_patch", "view_image"):
            if handler := client.get(name):
                assert all(isinstance(effect, Ask) for effect in handler({"file_path": 3})), name
