"""Memory on a real SQLite file: recall in any script, real forgetting, schema versions, damage."""

from __future__ import annotations

import os
import random
import sqlite3
import stat
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from slated.errors import BadRequest, Unavailable
from slated.memory import MIGRATIONS, NAME, MemoryStore
from tests.fakes.secret_shapes import SHAPES


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def store(data: Path) -> Iterator[MemoryStore]:
    made = MemoryStore(data)
    yield made
    made.close()


def texts(store: MemoryStore, query: str, *scopes: str) -> list[str]:
    return [one.text for one in store.recall(query, scopes=scopes or None)]


def grep(folder: Path, needle: str) -> list[str]:
    forms = (needle.encode(), needle.casefold().encode(), needle.encode("utf-16-le"))
    return [
        path.name
        for path in folder.rglob("*")
        if path.is_file() and any(form in path.read_bytes() for form in forms)
    ]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("The build needs make -j2", "build"),
        ("The build needs make -j2", "MAKE"),
        ("東京都の天気は晴れです", "天気"),
        ("東京都の天気は晴れです", "東京"),
        ("東京都の天気は晴れです", "都"),
        ("用户喜欢深色主题", "深色"),
        ("서울에서 회의가 있다", "회의"),
        ("ประเทศไทย", "ไทย"),
        ("Přehled o kočce", "kočce"),
        ("\uff46\uff55\uff4c\uff4c \uff57\uff49\uff44\uff54\uff48", "full width"),
        ("the café is closed", "cafe"),
        ("configuration of the proxy", "config"),
    ],
)
def test_recall_works_in_any_script(store: MemoryStore, text: str, query: str) -> None:
    store.remember("something else, with no word in common 別", scope="user", origin="agent")
    store.remember(text, scope="user", origin="agent")
    assert texts(store, query)[0] == text


def test_a_memory_that_matches_more_words_comes_first(store: MemoryStore) -> None:
    store.remember("the red door", scope="user", origin="agent")
    store.remember("the red key opens the blue door", scope="user", origin="agent")
    assert texts(store, "blue key door")[0] == "the red key opens the blue door"


@pytest.mark.parametrize(
    "query", ["", '"', "*", "AND OR NOT", "a:b", "(", "-x", "x" * 5000, "\x00"]
)
def test_no_query_is_an_error_or_a_command(store: MemoryStore, query: str) -> None:
    store.remember("plain", scope="user", origin="agent")
    assert "plain" not in texts(store, query)


def test_the_same_text_is_one_memory_that_keeps_both_origins(store: MemoryStore) -> None:
    first = store.remember("a fact", scope="user", origin="agent")
    again = store.remember("  a fact\n", scope="user", origin="screen")
    other = store.remember("a fact", scope="/p", origin="agent")
    assert first.id == again.id != other.id
    assert again.origins == ("agent", "screen")


def test_secrets_are_masked_before_they_are_stored(store: MemoryStore, data: Path) -> None:
    secret = SHAPES["github"](random.Random(1))
    store.remember(f"the token is {secret}", scope="user", origin="agent")
    assert not grep(data, secret)
    # A person's own address is what a memory is for.
    assert store.remember("mail me at a@example.org", scope="user", origin="person").text.endswith(
        "org"
    )


def test_r222_forget_leaves_no_trace_and_counts_what_it_removed(
    store: MemoryStore, data: Path
) -> None:
    store.remember("filler words " * 100, scope="user", origin="agent")
    for scope in ("user", "/project/a", "/project/b"):
        store.remember("zebra-77 lives here", scope=scope, origin="agent")
    assert store.forget(text="zebra-77 lives here").count == 3
    assert texts(store, "zebra") == []
    assert grep(data, "zebra") == []
    assert grep(data, "lives here") == []
    with pytest.raises(BadRequest) as caught:
        store.forget(text="zebra-77 lives here")
    assert caught.value.code == "bad_request.no_memory"
    assert len(store.each()) == 1


def test_r222_forgetting_one_of_many_long_memories_leaves_no_trace(
    store: MemoryStore, data: Path
) -> None:
    dice = random.Random(5)
    for number in range(300):
        words = " ".join(str(dice.random()) for _ in range(30))
        store.remember(f"{number} {words}", scope="user", origin="agent")
    gone = store.remember("quagga " * 500 + "漢字仮名交じり文", scope="user", origin="agent")
    assert store.forget(ids=[gone.id]).count == 1
    assert grep(data, "quagga") == grep(data, "漢字") == []
    assert len(store.each()) == 300


def test_r224_a_scope_is_cleared_and_others_stay(store: MemoryStore) -> None:
    for number in range(10):
        store.remember(f"fact {number}", scope="A", origin="agent")
        store.remember(f"fact {number}", scope="B", origin="agent")
    assert store.reset("A").count == 10
    assert texts(store, "fact", "A") == []
    assert len(store.each(scopes=["B"])) == 10


def test_what_an_undo_copy_still_holds_is_said(data: Path) -> None:
    store = MemoryStore(data, copies=lambda: ["snapshot of 12:00, expires 13:00"])
    store.remember("x", scope="user", origin="agent")
    assert store.forget(text="x").copies == ("snapshot of 12:00, expires 13:00",)
    store.close()


def test_the_directory_is_0700_and_the_files_are_private(store: MemoryStore, data: Path) -> None:
    store.remember("x", scope="user", origin="agent")
    assert stat.S_IMODE(data.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in data.iterdir()} == {0o600}


def test_an_older_schema_is_migrated_and_a_failed_step_changes_nothing(data: Path) -> None:
    old = MemoryStore(data)
    old.remember("kept", scope="user", origin="agent")
    old.close()
    bad = (*MIGRATIONS, "ALTER TABLE memories ADD COLUMN note TEXT; SELECT no_such_function()")
    with pytest.raises(Unavailable):
        MemoryStore(data, migrations=bad)
    new = MemoryStore(data, migrations=(*MIGRATIONS, "ALTER TABLE memories ADD COLUMN note TEXT"))
    assert [one.text for one in new.each()] == ["kept"]
    new.close()
    with pytest.raises(Unavailable) as caught:
        MemoryStore(data)
    assert caught.value.code == "unavailable.newer"


@pytest.mark.parametrize("kind", ["text", "torn"])
def test_a_damaged_file_is_an_error_and_never_an_empty_memory(data: Path, kind: str) -> None:
    store = MemoryStore(data)
    for number in range(50):
        store.remember(f"fact {number} " * 40, scope="user", origin="agent")
    store.close()
    path = data / NAME
    whole = path.read_bytes()
    broken = b"not a database" if kind == "text" else whole[: len(whole) // 2]
    path.write_bytes(broken)
    with pytest.raises(Unavailable) as caught:
        MemoryStore(data)
    assert caught.value.code == "unavailable.damaged"
    assert "backup" in caught.value.next_step
    assert path.read_bytes() == broken


def test_two_processes_of_a_user_share_one_memory(store: MemoryStore, data: Path) -> None:
    other = MemoryStore(data)
    other.remember("from the other", scope="user", origin="agent")
    assert texts(store, "other") == ["from the other"]
    other.close()


def test_a_locked_memory_is_busy_in_plain_words(store: MemoryStore, data: Path) -> None:
    blocker = sqlite3.connect(data / NAME, isolation_level=None)
    blocker.execute("BEGIN IMMEDIATE")
    try:
        with pytest.raises(Unavailable) as caught:
            store.remember("x", scope="user", origin="agent")
        assert caught.value.code == "unavailable.busy"
    finally:
        blocker.close()


def test_recall_over_ten_thousand_memories_is_fast(store: MemoryStore) -> None:
    dice = random.Random(3)
    vocabulary = ["".join(dice.choice("aeioubcdfgklmnprst") for _ in range(6)) for _ in range(3000)]
    for _ in range(1_000):
        words = " ".join(dice.choice(vocabulary) for _ in range(20))
        store.remember(words, scope="user", origin="agent")
    start = time.process_time()
    for _ in range(20):
        store.recall(" ".join(dice.choice(vocabulary) for _ in range(4)))
    assert (time.process_time() - start) / 20 < 0.02
    assert os.listdir(Path(store._path).parent)
