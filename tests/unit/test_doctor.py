"""What the doctor says, without anything being started."""

from __future__ import annotations

import json
import os
import socket
import struct
import threading
from pathlib import Path

import pytest

from slate_desktop import desk, doctor, settings
from slate_desktop.__main__ import daemon_of
from slate_desktop.headless import runtime
from slate_desktop.headless.program import SwayProgram


@pytest.fixture
def environ(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> dict[str, str]:
    run = tmp_path_factory.mktemp("r")
    run.chmod(0o700)
    made = {"XDG_RUNTIME_DIR": str(run), "XDG_STATE_HOME": str(run / "state"), "HOME": str(run)}
    monkeypatch.setattr(settings, "environment", lambda: made)
    return made


def _run(environ: dict[str, str]) -> tuple[int, str]:
    said: list[str] = []
    daemons = [daemon_of(environ, headless=headless) for headless in (False, True)]
    return doctor.run(daemons, said.append), "".join(said)


def test_a_machine_with_nothing_is_told_what_to_do(
    environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runtime, "find_sway", lambda _: None)
    code, text = _run(environ)
    assert code == 1
    assert "desktop: no: no sway answers" in text
    assert "next: slate-desktop runtime install" in text
    assert text.count("does not run; it is started when needed") == 2
    assert len(text.splitlines()) == 6


def test_a_machine_with_a_new_enough_sway_can_serve_without_a_screen(
    environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    program = SwayProgram(("/x/sway",), {}, (1, 12), "private")
    monkeypatch.setattr(runtime, "find_sway", lambda _: program)
    code, text = _run(environ)
    assert code == 0
    assert "headless: yes, with the private sway 1.12" in text


@pytest.mark.parametrize(("minor", "words"), [(12, "yes, sway 1.12 at"), (7, "no: the sway at")])
def test_a_running_sway_is_asked_for_its_version(tmp_path: Path, minor: int, words: str) -> None:
    path = tmp_path / "s"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen(1)

        def serve() -> None:
            link, _ = listener.accept()
            with link:
                assert struct.unpack("=6sII", link.recv(14)) == (b"i3-ipc", 0, 7)
                body = json.dumps({"major": 1, "minor": minor}).encode()
                link.sendall(struct.pack("=6sII", b"i3-ipc", len(body), 7) + body)

        peer = threading.Thread(target=serve)
        peer.start()
        said, works = doctor._desktop(path)
        peer.join(5)
    assert said.startswith(words)
    assert works is (minor >= 12)


def test_a_sway_that_does_not_answer_has_no_version(tmp_path: Path) -> None:
    assert doctor._version(tmp_path / "missing") == (0, 0)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("missing", "said"),
    [
        ({}, "all there"),
        ({"wp_x": "no pictures", "wp_y": "no y"}, "missing: wp_x: no pictures; wp_y: no y"),
    ],
)
def test_missing_protocols_are_named_with_what_is_lost(
    monkeypatch: pytest.MonkeyPatch, missing: dict[str, str], said: str
) -> None:
    async def found(_path: Path) -> dict[str, str]:
        return missing

    monkeypatch.setattr(desk, "missing_protocols", found)
    assert doctor._protocols(Path("/x")) == said


@pytest.mark.parametrize(("there", "said"), [(True, "yes"), (False, "no: at-spi2-core")])
def test_accessibility_is_told_in_one_line(
    monkeypatch: pytest.MonkeyPatch, there: bool, said: str
) -> None:
    async def found(_bus: str) -> bool:
        return there

    monkeypatch.setattr(desk, "accessible", found)
    assert doctor._accessibility("unix:path=/x").startswith(said)


def test_what_does_not_answer_is_said_and_not_raised(tmp_path: Path) -> None:
    assert doctor._protocols(tmp_path / "gone").startswith("no: no compositor answers")
    assert doctor._accessibility(None).startswith("no: there is no session bus")
    assert doctor._accessibility(f"unix:path={tmp_path}/bus").startswith("no: no element")
