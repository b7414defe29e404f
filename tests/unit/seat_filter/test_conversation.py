"""What the filter changes in a connection: the order of seats in a registry, and nothing else."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slate_desktop.seat_filter.conversation import Conversation
from slate_desktop.seat_filter.wire import Garbage
from tests.fakes.wayland_bytes import bind, delete_id, done, get_registry, global_, message, sync

OWN = 41
REGISTRY, CALLBACK = 2, 3
SHM, SEAT0, OTHER, MINE = (
    global_(REGISTRY, 1, "wl_shm"),
    global_(REGISTRY, 12, "wl_seat"),
    global_(REGISTRY, 40, "wl_seat"),
    global_(REGISTRY, OWN, "wl_seat"),
)
LATER = global_(REGISTRY, 42, "wl_seat")


def talk(own_seat: int = OWN) -> Conversation:
    """A connection that has asked for the registry."""
    it = Conversation(own_seat, itertools.count(1))
    it.request(get_registry(REGISTRY) + sync(CALLBACK))
    return it


def test_our_seat_comes_first_and_the_others_right_after() -> None:
    it = talk()
    told = it.event(SHM + SEAT0 + OTHER + SHM + MINE + LATER + SHM + done(CALLBACK))
    assert told == SHM + SHM + MINE + SEAT0 + OTHER + LATER + SHM + done(CALLBACK)
    assert not it.holding


@given(cut=st.integers(0, len(SHM + SEAT0 + MINE + done(CALLBACK))))
def test_the_order_is_the_same_however_the_bytes_come(cut: int) -> None:
    it, stream = talk(), SHM + SEAT0 + MINE + done(CALLBACK)
    assert it.event(stream[:cut]) + it.event(stream[cut:]) == SHM + MINE + SEAT0 + done(CALLBACK)


def test_without_our_seat_nothing_changes() -> None:
    it, stream = talk(own_seat=77), SHM + SEAT0 + MINE + SHM + done(CALLBACK)
    assert it.event(stream) == SHM + SHM + SEAT0 + MINE + done(CALLBACK)
    assert not it.holding


def test_what_is_held_back_is_let_go_when_our_seat_does_not_come() -> None:
    it = talk()
    assert it.event(SEAT0) == b""
    assert it.holding
    assert it.release() == SEAT0
    assert it.release() == b""
    assert it.event(OTHER + MINE) == OTHER + MINE  # seats that are new later keep their order


def test_a_seat_that_goes_while_it_is_held_back_is_announced_before_it_goes() -> None:
    gone = message(REGISTRY, 1, 12)
    assert talk().event(SEAT0 + gone) == SEAT0 + gone


def test_what_comes_before_the_announcements_does_not_end_them() -> None:
    assert talk().event(done(9) + SEAT0 + MINE) == done(9) + MINE + SEAT0


def test_every_registry_of_a_client_has_the_order() -> None:
    it = talk()
    it.event(SEAT0 + MINE + done(CALLBACK))
    it.request(get_registry(8))
    seats = [global_(8, name, "wl_seat") for name in (12, OWN)]
    assert it.event(b"".join(seats)) == seats[1] + seats[0]


def test_a_registrys_number_may_come_again_as_anothers() -> None:
    """GTK 4 destroys registries; an event of the next object looks like an announcement."""
    it = talk()
    assert it.event(delete_id(REGISTRY) + SEAT0 + done(CALLBACK)) == (
        delete_id(REGISTRY) + SEAT0 + done(CALLBACK)
    )
    it.request(message(REGISTRY, 0, 5))  # no bind: read as one, it would end too early


def test_windows_are_seen_through_what_the_registry_binds() -> None:
    it = talk()
    it.request(bind(REGISTRY, 1, "wl_compositor", 4) + bind(REGISTRY, 2, "xdg_wm_base", 5, 3))
    it.request(message(4, 0, 6) + message(5, 2, 7, 6) + message(7, 1, 8) + message(8, 2, "titled"))
    it.request(message(7, 3, 26, 23, 100, 50) + message(6, 1, 9, 0, 0) + message(6, 6))
    (window,) = it.windows()
    assert (window.title, window.content, window.size) == ("titled", (26, 23), (100, 50))
    it.event(delete_id(8) + delete_id(7))
    assert it.windows() == [window]


def test_garbage_ends_the_conversation() -> None:
    with pytest.raises(Garbage):
        talk().request(b"\x01\0\0\0\0\0\x02\0")
    with pytest.raises(Garbage):
        talk().event(b"\0" * 8)


@given(st.lists(st.sampled_from([SHM, SEAT0, OTHER, MINE, LATER, done(CALLBACK)]), max_size=12))
def test_nothing_is_lost_and_nothing_is_added(events: list[bytes]) -> None:
    it = talk()
    told = it.event(b"".join(events)) + it.release()
    assert sorted(told) == sorted(b"".join(events))
    assert len(told) == len(b"".join(events))
