"""What a closing slate sees of the workspaces."""

from __future__ import annotations

from pathlib import Path

from slated.sac.wrap_up import WrapUp
from tests.fakes.slate_parts import parts


def test_only_an_active_workspace_of_this_user_is_bindable(tmp_path: Path) -> None:
    here = parts(tmp_path)
    port = WrapUp(here.proposals)
    made = here.book.create("one").id
    assert port.bindable(made)
    here.book.archive(made)
    assert not port.bindable(made)
    assert not port.bindable("../x")
    assert not port.bindable("workspace-0000000000000000")


def test_a_slate_opens_unbound_when_no_workspace_can_be_resolved(tmp_path: Path) -> None:
    here = parts(tmp_path)
    here.data.joinpath("sac").write_text("in the way")
    assert here.store.open("a").workspace_id is None
