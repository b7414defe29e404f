"""What is written in elements is found, but no password."""

from __future__ import annotations

import pytest

from slate_desktop.elements import Detail
from slate_desktop.written import words_of_all
from tests.fakes.ports import bench, desktop, element, frame, window

pytestmark = pytest.mark.anyio


async def test_texts_and_values_are_words_of_their_elements_and_passwords_are_none() -> None:
    made = bench(desktop(window(2)))
    text, secret = element("", "paragraph"), element("Key", "password text", "editable")
    label = element("Plain", "label")
    made.widgets.known = {
        text.key: Detail(value="Something came"),
        secret.key: Detail(value="pw-Sentinel-77"),
        label.key: Detail(value="not asked"),
    }
    words = await words_of_all(made.widgets, window(2), frame(text, secret, label))
    assert words == {text.key: "Something came"}


async def test_a_nameless_control_is_found_by_its_label() -> None:
    made = bench(desktop(window(2)))
    slider, combo = element("", "slider"), element("red", "combo box")
    made.widgets.known = {
        slider.key: Detail(value="5", label="Volume"),
        combo.key: Detail(label="Colour"),
    }
    words = await words_of_all(made.widgets, window(2), frame(slider, combo))
    assert words == {slider.key: "Volume\n5", combo.key: "Colour"}
