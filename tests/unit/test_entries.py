"""Desktop entries: what is read of them and the commands they become."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slate_desktop.entries import Entry, command, find, read
from slate_desktop.errors import BadRequest, Unavailable

EDITOR = """
# a comment
[Desktop Entry]
Type=Application
Name=Text Editor
Name[de]=Texteditor
Exec=gnome-text-editor %U
Icon=org.gnome.TextEditor
DBusActivatable=true
NoDisplay=true

[Desktop Action new]
Name=New Window
Exec=rm -rf /
"""


def entry(exec_: str, **changes: object) -> Entry:
    made = Entry("an.app", "/usr/share/applications/an.app.desktop", "An App", exec_)
    return Entry(**{name: changes.get(name, getattr(made, name)) for name in Entry.__slots__})  # type: ignore[arg-type]  # the test names real fields


def argv(exec_: str, *files: str, **changes: object) -> list[str]:
    return command(entry(exec_, **changes), files, lambda _: True)


def test_an_entry_is_read_from_its_own_group_only() -> None:
    found = read("org.gnome.TextEditor", "/x.desktop", EDITOR)
    assert found is not None
    assert (found.name, found.exec) == ("Text Editor", "gnome-text-editor %U")
    assert found.names == {"text editor", "texteditor"}


def test_r100_an_entry_that_could_be_activated_over_the_bus_is_started_by_its_command() -> None:
    found = read("org.gnome.TextEditor", "/x.desktop", EDITOR)
    assert found is not None
    assert command(found, ["a.txt"], lambda _: True) == ["gnome-text-editor", "a.txt"]
    with pytest.raises(Unavailable, match="only be started over the session bus"):
        argv("")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[Desktop Entry]\nType=Link\nName=x\n",
        "[Desktop Entry]\nName=x\nHidden=true\n",
        "[Desktop Entry]\nExec=x\n",
        "[Other]\nName=x\nExec=x\n",
    ],
)
def test_what_is_no_application_is_no_entry(text: str) -> None:
    assert read("x", "/x", text) is None


@pytest.mark.parametrize(
    ("exec_", "files", "wanted"),
    [
        ("app", (), ["app"]),
        ("app  --flag   x", (), ["app", "--flag", "x"]),
        ("app %f", (), ["app"]),
        ("app %f", ("/a b",), ["app", "/a b"]),
        ("app %F end", ("/a", "/b"), ["app", "/a", "/b", "end"]),
        ("app %U", ("http://x/?a=1&b", "/b"), ["app", "http://x/?a=1&b", "/b"]),
        ("app %u", ("file:///a%20b",), ["app", "file:///a%20b"]),
        ("app %f", ("file:///a%20b",), ["app", "/a b"]),
        ("app --file=%f", ("/a",), ["app", "--file=/a"]),
        ("app --file=%f", (), ["app", "--file="]),
        ("app", ("/a",), ["app", "/a"]),
        ("app %i %c %k", (), ["app", "An App", "/usr/share/applications/an.app.desktop"]),
        ("app 100%%", (), ["app", "100%"]),
        ("app %d %n %v %m x%D", (), ["app", "x"]),
        ('app "two words" ""', (), ["app", "two words", ""]),
        (r'app "a\"b\$c\`d\\e"', (), ["app", 'a"b$c`d\\e']),
        ('sh -c "echo %f; $HOME"', ("/a",), ["sh", "-c", "echo %f; $HOME", "/a"]),
        ("app $HOME ~ * ; rm", (), ["app", "$HOME", "~", "*", ";", "rm"]),
    ],
)
def test_a_command_follows_the_entry_formats_own_rules(
    exec_: str, files: tuple[str, ...], wanted: list[str]
) -> None:
    assert argv(exec_, *files) == wanted


def test_an_icon_is_two_words() -> None:
    assert argv("app %i", icon="pic") == ["app", "--icon", "pic"]


@pytest.mark.parametrize("exec_", ['app "open', "app %x", "app %", '""'])
def test_a_broken_command_is_said_to_be_broken(exec_: str) -> None:
    with pytest.raises(Unavailable) as raised:
        argv(exec_)
    assert raised.value.code == "unavailable.no_command"


def test_files_an_application_cannot_take_are_the_callers_fault() -> None:
    with pytest.raises(BadRequest, match="one file at a time"):
        argv("app %f", "/a", "/b")
    with pytest.raises(BadRequest, match="local files only"):
        argv("app %F", "https://example.org")


def test_a_terminal_program_runs_in_foot_or_says_what_is_missing() -> None:
    assert argv("htop -d 5", terminal=True) == ["foot", "--", "htop", "-d", "5"]
    with pytest.raises(Unavailable, match="foot is not installed"):
        command(entry("htop", terminal=True), [], lambda name: name != "foot")


def test_an_entry_whose_program_is_missing_is_not_installed() -> None:
    with pytest.raises(Unavailable, match="not completely installed"):
        command(entry("app", try_exec="/opt/app"), [], lambda _: False)


@given(st.lists(st.text(min_size=1).filter(lambda s: "\0" not in s), max_size=5))
def test_files_arrive_whole_whatever_is_in_their_names(files: list[str]) -> None:
    paths = [f"/{name}" for name in files]
    assert argv("app %U", *paths) == ["app", *paths]


@given(st.text())
def test_no_text_crashes_the_reader(text: str) -> None:
    found = read("x", "/x", "[Desktop Entry]\nName=x\nExec=" + text)
    assert found is not None
    with suppress(Unavailable):
        assert command(found, [], lambda _: True)[0]


def test_escapes_of_strings_come_before_quotes() -> None:
    found = read("x", "/x", '[Desktop Entry]\nName=a\\sb\nExec=app "x\\\\\\\\y" \\s\n')
    assert found is not None
    assert found.name == "a b"
    assert command(found, [], lambda _: True) == ["app", "x\\y"]


ENTRIES = {
    e.id: e
    for e in (
        Entry("org.gnome.TextEditor", "", "Text Editor", "x", frozenset({"text editor"})),
        Entry("foot", "", "Foot", "x", frozenset({"foot"})),
        Entry("footclient", "", "Foot Client", "x", frozenset({"foot client"})),
        Entry("a.calc", "", "Calculator", "x", frozenset({"calculator"})),
        Entry("b.calc", "", "Calculator", "x", frozenset({"calculator"})),
    )
}


@pytest.mark.parametrize(
    ("wanted", "id_"),
    [
        ("foot", "foot"),
        ("foot.desktop", "foot"),
        ("Foot", "foot"),
        ("ORG.GNOME.TEXTEDITOR", "org.gnome.TextEditor"),
        ("text editor", "org.gnome.TextEditor"),
        ("a.calc", "a.calc"),
    ],
)
def test_an_application_is_found_by_id_or_name(wanted: str, id_: str) -> None:
    assert find(ENTRIES, wanted).id == id_


def test_several_of_one_name_are_listed() -> None:
    with pytest.raises(BadRequest) as raised:
        find(ENTRIES, "calculator")
    assert raised.value.next_step == "name one: a.calc, b.calc"


@pytest.mark.parametrize(
    ("wanted", "near"),
    [
        ("texteditor", "org.gnome.TextEditor"),
        ("foots", "foot"),
        ("calc", "a.calc"),
        ("zzz", "argv"),
    ],
)
def test_what_is_not_found_comes_with_near_names(wanted: str, near: str) -> None:
    with pytest.raises(BadRequest) as raised:
        find(ENTRIES, wanted)
    assert raised.value.code == "bad_request.no_app"
    assert near in raised.value.next_step
