"""The command line: help, versions, which daemon is meant, and that the front stays light."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from slate_desktop import __version__, tools
from slate_desktop.__main__ import HELP, daemon_of, main

PROGRAM = Path(__file__).parents[2] / "slate_desktop/__main__.py"


@pytest.fixture
def environ(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    run = tmp_path_factory.mktemp("r")
    run.chmod(0o700)
    return {"XDG_RUNTIME_DIR": str(run), "XDG_STATE_HOME": str(run / "state"), "HOME": str(run)}


def _run(*words: str, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    argv = [sys.executable, "-I", "-S", str(PROGRAM), *words]
    return subprocess.run(argv, env=env, capture_output=True, text=True, timeout=20, check=False)


def test_help_names_every_verb_there_is() -> None:
    for spec in tools.ALL:
        assert spec.name.removeprefix("desktop_").replace("_", "-") in HELP


def test_help_and_version_go_to_the_person(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    assert capsys.readouterr().out == HELP
    assert main([]) == 2
    assert main(["--version"]) == 0
    assert __version__ in capsys.readouterr().out


def test_the_two_daemons_have_sockets_of_their_own(environ: dict[str, str]) -> None:
    desktop, headless = (
        daemon_of(environ, headless=False),
        daemon_of(environ, headless=True, size="2x3"),
    )
    assert desktop.socket != headless.socket
    assert headless.command[-4:] == ["daemon", "--headless", "--size", "2x3"]
    assert "WAYLAND_DISPLAY" in desktop.attached
    assert not headless.attached


def test_the_front_imports_nothing_but_the_standard_library() -> None:
    code = (
        f"import sys; sys.path.insert(0, {str(PROGRAM.parents[1])!r}); before = set(sys.modules);"
        "import slate_desktop.__main__;"
        "print(*(set(sys.modules) - before))"
    )
    argv = [sys.executable, "-I", "-S", "-c", code]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=20, check=True)
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    assert loaded - {"slate_desktop", "slated"} <= set(sys.stdlib_module_names)
    # Each costs a good part of what the front costs altogether.
    for heavy in ("typing", "dataclasses", "pathlib", "subprocess", "logging", "asyncio"):
        assert heavy not in done.stdout.split()


def test_a_failure_is_told_with_its_code_and_what_to_do(environ: dict[str, str]) -> None:
    done = _run("windows", "-q", env=environ)
    assert done.returncode == 1
    assert done.stderr.startswith("slate-desktop: bad_request.usage: ")
    assert "next: " in done.stderr


def test_mcp_without_a_desktop_says_why(environ: dict[str, str]) -> None:
    done = subprocess.run(
        [sys.executable, PROGRAM, "mcp"],
        env=environ,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )
    assert done.returncode == 1
    assert "unavailable.compositor" in done.stderr
    assert done.stdout == ""
