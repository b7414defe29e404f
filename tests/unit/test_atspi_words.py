"""The numbers of AT-SPI2 are the words its library has for them."""

from __future__ import annotations

import pytest

from slate_desktop.atspi.words import ROLES, STATES, role, short, states


def test_roles_and_states_are_numbered_as_the_distribution_numbers_them() -> None:
    pyatspi = pytest.importorskip("pyatspi", reason="python3-pyatspi is not installed")
    for word in ("push button", "password text", "frame", "link", "list item", "document web"):
        constant = f"ROLE_{word.upper().replace(' ', '_')}"
        assert ROLES[int(getattr(pyatspi, constant))] == word
    for word in STATES[: STATES.index("read only")]:
        constant = f"STATE_{word.upper().replace(' ', '_')}"
        if hasattr(pyatspi, constant):
            assert STATES[int(getattr(pyatspi, constant))] == word
    assert role(int(pyatspi.ROLE_LANDMARK)) == "landmark"


def test_a_role_nobody_knows_is_unknown() -> None:
    assert role(9999) == "unknown"
    assert role(-1) == "unknown"


def test_a_state_set_comes_in_two_words() -> None:
    high = STATES.index("checkable") - 32
    assert states(1 << STATES.index("focused"), 1 << high) == {"focused", "checkable"}


def test_an_interface_is_told_by_its_last_word() -> None:
    assert short("org.a11y.atspi.EditableText") == "EditableText"
