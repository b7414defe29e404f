"""What a person sees of a long job, on a terminal and in a log."""

from __future__ import annotations

from io import StringIO

from slate_desktop.headless.progress import Progress


def test_a_log_gets_whole_lines_and_few_of_them() -> None:
    out = StringIO()
    progress = Progress(out, live=False)
    progress.step("downloading")
    for hundredth in range(101):
        progress.at(hundredth / 100)
    progress.notice("by the way")
    progress.close()
    assert out.getvalue().splitlines() == [
        "downloading …",
        "downloading: 25%",
        "downloading: 50%",
        "downloading: 75%",
        "downloading: 100%",
        "by the way",
    ]
    assert "\r" not in out.getvalue()


def test_a_terminal_gets_a_bar_that_is_gone_at_the_end() -> None:
    out = StringIO()
    progress = Progress(out, live=True)
    progress.step("unpacking")
    progress.at(0.5)
    assert out.getvalue().endswith("[############............]  50% unpacking")
    progress.notice("by the way")
    progress.at(2.0)
    progress.close()
    assert out.getvalue().endswith("\r\x1b[K")
    assert "\r\x1b[Kby the way\n" in out.getvalue()
