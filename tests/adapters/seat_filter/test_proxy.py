"""The filter's process, between programs and a compositor that the test plays."""

from __future__ import annotations

import json
import os
import select
import socket
import sys
import time

import pytest

from tests.fakes.filter_bench import OWN_SEAT, WAIT_S, FilterBench, filter_bench
from tests.fakes.wayland_bytes import bind, done, get_registry, global_, message, sync

REGISTRY, CALLBACK = 2, 3
ASKED = get_registry(REGISTRY) + sync(CALLBACK)
SEATS = {name: global_(REGISTRY, name, "wl_seat") for name in (12, OWN_SEAT, 50)}
LIMITED = (
    sys.executable,
    "-c",
    "import os, resource, sys\n"
    "resource.setrlimit(resource.RLIMIT_NOFILE, (24, 24))\n"
    "os.execv(sys.argv[1], sys.argv[1:])",
)


def exactly(end: socket.socket, count: int) -> bytes:
    """So many bytes, within the socket's deadline."""
    data = b""
    while len(data) < count:
        part = end.recv(count - len(data))
        assert part, f"the connection ended after {data!r}"
        data += part
    return data


def over(end: socket.socket) -> bool:
    """Whether nothing more comes."""
    try:
        return not end.recv(1 << 16)
    except ConnectionResetError:
        return True


def says(near: socket.socket, far: socket.socket, data: bytes = ASKED) -> None:
    """A program's words reach the compositor."""
    near.sendall(data)
    assert exactly(far, len(data)) == data


def settled(bench: FilterBench, fds: int) -> bool:
    """Whether the filter comes to hold so many descriptors."""
    deadline = time.monotonic() + WAIT_S
    while bench.fds != fds and time.monotonic() < deadline:
        bench.asked()  # a round through its loop
    return bench.fds == fds


def test_our_seat_is_announced_first_to_every_client() -> None:
    with filter_bench() as bench:
        for _ in range(2):
            near, far = bench.client()
            says(near, far)
            far.sendall(SEATS[12] + SEATS[OWN_SEAT] + SEATS[50] + done(CALLBACK))
            wanted = SEATS[OWN_SEAT] + SEATS[12] + SEATS[50] + done(CALLBACK)
            assert exactly(near, len(wanted)) == wanted


def test_a_seat_is_not_held_back_for_long() -> None:
    with filter_bench() as bench:
        near, far = bench.client()
        says(near, far)
        far.sendall(SEATS[12])
        assert exactly(near, len(SEATS[12])) == SEATS[12]


def test_descriptors_pass_both_ways() -> None:
    with filter_bench() as bench:
        near, far = bench.client()
        for source, sink in ((near, far), (far, near)):
            fd = os.memfd_create("pool")
            os.write(fd, b"pixels")
            socket.send_fds(source, [message(9, 0, 4096)], [fd])
            os.close(fd)
            data, fds, _, _ = socket.recv_fds(sink, 100, 9)
            assert data == message(9, 0, 4096)
            assert os.pread(fds[0], 9, 0) == b"pixels"
            os.close(fds[0])


def test_garbage_ends_its_own_connection_alone() -> None:
    with filter_bench() as bench:
        other = bench.client()
        near, far = bench.client()
        near.sendall(b"\x01\0\0\0\0\0\x02\0" + b"no Wayland")
        assert over(near)
        while far.recv(1 << 16):
            pass
        says(*other)


def test_a_client_that_dies_is_gone_for_the_compositor_with_its_last_words_said() -> None:
    with filter_bench() as bench:
        assert bench.asked()  # it has started
        idle = bench.fds
        near, far = bench.client()
        near.sendall(ASKED)
        near.close()
        assert exactly(far, len(ASKED)) == ASKED
        assert over(far)
        assert settled(bench, idle)


def test_the_compositors_last_words_reach_a_client_that_still_talks() -> None:
    """An error is followed by the end of the connection; the program must learn what it did."""
    with filter_bench() as bench:
        near, far = bench.client()
        says(near, far)
        near.sendall(sync(9) * 50)  # unread by the compositor, which makes its end a reset
        error = message(1, 0, 5, 1, "invalid object")
        far.sendall(error)
        far.close()
        assert exactly(near, len(error)) == error
        assert over(near)


def test_a_client_that_reads_nothing_holds_up_no_other() -> None:
    with filter_bench() as bench:
        (near, far), other = bench.client(), bench.client()
        far.setblocking(False)
        sent = 0
        while select.select([], [far], [], 0.1)[1]:
            sent += far.send(message(7, 0, *range(100)) * 20)
        says(*other)
        received = 0
        while received < sent:
            received += len(near.recv(1 << 20))
        assert received == sent


def test_without_a_compositor_a_client_is_turned_away() -> None:
    with filter_bench() as bench:
        assert bench.compositor is not None
        bench.compositor.close()
        assert over(bench.near())
        assert over(bench.near())


def test_without_descriptors_to_spare_new_clients_wait_and_old_ones_go_on() -> None:
    with filter_bench(prefix=LIMITED) as bench:
        assert bench.compositor is not None
        first = bench.client()
        near = [bench.near() for _ in range(16)]  # more than 24 descriptors are good for
        says(*first)
        time_left = time.monotonic() + 0.5
        while time.monotonic() < time_left:
            says(*first)
        cpu = _cpu_s(bench.pid)
        near[0].sendall(ASKED)
        far, _ = bench.compositor.accept()
        far.settimeout(WAIT_S)
        bench.held.append(far)
        assert exactly(far, len(ASKED)) == ASKED
        for one in near[:-1]:
            one.close()
        near[-1].sendall(ASKED)
        for _ in near[1:]:  # the last of those that waited is served, too
            far, _ = bench.compositor.accept()
            bench.held.append(far)
        assert exactly(far, len(ASKED)) == ASKED
        assert cpu < 0.5


def _cpu_s(pid: int) -> float:
    with open(f"/proc/{pid}/stat") as stat:
        ticks = stat.read().rpartition(")")[2].split()[11:13]
    return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")


def test_windows_are_told_to_whoever_asks() -> None:
    with filter_bench() as bench:
        assert json.loads(bench.asked()) == []
        near, far = bench.client()
        says(near, far)
        made = bind(REGISTRY, 1, "wl_compositor", 4) + bind(REGISTRY, 2, "xdg_wm_base", 5, 3)
        made += message(4, 0, 6) + message(5, 2, 7, 6) + message(7, 1, 8) + message(8, 2, "titled")
        made += message(8, 3, "app") + message(7, 3, 26, 23, 100, 50)
        says(near, far, made + message(6, 1, 9, 0, 0) + message(6, 6))
        (window,) = json.loads(bench.asked())
        assert window["title"] == "titled"
        assert window["content"] == [26, 23]
        assert window["pid"] == os.getpid()
        near.close()
        assert over(far)
        assert json.loads(bench.asked()) == []


def test_it_ends_with_the_last_program_and_connection_and_takes_its_sockets_along() -> None:
    with filter_bench() as bench:
        near, far = bench.client()
        bench.programs_end()
        says(near, far)
        os.kill(bench.pid, 0)
        near.close()
        assert bench.ended
        assert sorted(path.name for path in bench.directory.iterdir()) == ["log", "wayland-L1"]


def test_it_keeps_the_display_alive_until_it_ends() -> None:
    with filter_bench() as bench:
        os.set_blocking(bench.display.over, False)
        with pytest.raises(BlockingIOError):
            os.read(bench.display.over, 1)
        bench.programs_end()
        assert bench.ended
        assert os.read(bench.display.over, 1) == b""


def test_it_is_no_part_of_our_process_group() -> None:
    with filter_bench() as bench:
        bench.asked()
        assert os.getsid(bench.pid) == bench.pid
        assert os.getpgid(bench.pid) != os.getpgid(0)
