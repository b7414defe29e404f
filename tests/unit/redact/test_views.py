"""Other readings of a text lead back to the right places in it."""

from __future__ import annotations

import base64

from hypothesis import given
from hypothesis import strategies as st

from slated.redact.views import encoded_runs, unescaped


@given(st.lists(st.sampled_from(["a", "bc", "%41", "\\u0042", "&#67;", "&quot;", " "]), min_size=1))
def test_every_character_of_a_view_leads_back_to_its_source(parts: list[str]) -> None:
    text = "".join(parts)
    view = unescaped(text)
    if view is None:
        assert not set(parts) & {"%41", "\\u0042", "&#67;", "&quot;"}
        return
    assert "".join(text[view.start(at) : view.end(at + 1)] for at in range(len(view.text))) == text


def test_text_without_escapes_has_no_other_reading() -> None:
    assert unescaped("plain 100% text") is None


def test_only_printable_runs_are_readings() -> None:
    text = base64.b64encode(b"a sentence of plain words").decode()
    assert [inner for _, _, inner in encoded_runs(text)] == ["a sentence of plain words"]
    assert not list(encoded_runs(base64.b64encode(bytes(range(128, 200))).decode()))
    assert [inner for _, _, inner in encoded_runs(b"another plain sentence".hex())]
