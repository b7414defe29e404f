"""Words that need a person's yes."""

from __future__ import annotations

import pytest

from slate_desktop.risky import risky_word


@pytest.mark.parametrize(
    "name",
    [
        "Send",
        "SEND NOW",
        "Pay €30",
        "Delete…",
        "Löschen",
        "Envoyer",
        "Törlés",
        "Удалить",
        "删除文件",
        "送信する",
    ],
)
def test_what_cannot_be_taken_back_is_recognised(name: str) -> None:
    assert risky_word(["", name])


@pytest.mark.parametrize("name", ["", "Sender", "Open", "Undelete", "Repay later today", "Paystub"])
def test_a_word_counts_only_as_a_whole(name: str) -> None:
    assert risky_word([name]) is None
