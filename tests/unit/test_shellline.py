"""A shell's line after keys: certain only where every key is sure to do what is thought of it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slate_desktop.intent import Action, Click, PressKeys, TypeText
from slate_desktop.keys import parse_chord
from slate_desktop.shellline import PRINTED, UNSEEN, Line, after, begun, complete, quiet, typed


def keys(*chords: str, hold_s: float = 0) -> PressKeys:
    return PressKeys(chords, tuple(parse_chord(chord) for chord in chords), hold_s)


EMPTY = Line()


def on(*actions: Action, line: Line = EMPTY, prompt: bool = True) -> Line:
    """The line after actions, each a call of its own."""
    for action in actions[:-1]:
        line = begun(after(line, action, prompt=prompt))
    return after(line, actions[-1], prompt=prompt)


@pytest.mark.parametrize(
    ("actions", "shell_input"),
    [
        ([TypeText("ls -la")], "ls -la"),
        ([TypeText("ls", submit=True)], "ls\n"),
        ([TypeText("ls\r\n")], "ls\n"),
        ([TypeText("ls "), TypeText("-l"), keys("Return")], "ls -l\n"),
        ([keys("l", "s", "Ret_urn")], "ls\n"),
        ([keys("L", "shift+s", "Space", "period", "ctrl+j")], "LS .\n"),
        ([TypeText("lxs"), keys("Left", "BackSpace", "End", "Return")], "ls\n"),
        ([TypeText("rm x"), keys("Home", "Delete", "Delete", "l"), TypeText("s")], "ls x"),
        ([TypeText("rm x"), keys("Left", "ctrl+u"), keys("Right", "Right", "y")], "xy"),
        ([TypeText("rm x"), keys("ctrl+h", "Left", "Left", "Left", "Left", "Left", "a")], "arm "),
        ([TypeText("rm x"), keys("ctrl+c"), TypeText("ls\n")], "ls\n"),
        ([TypeText("ls\n"), TypeText("pwd\n")], "pwd\n"),
        ([TypeText("cd /tmp\nls\n")], "cd /tmp\nls\n"),
        ([TypeText("echo 'two words' \"three\" | wc\n"), TypeText("ls\n")], "ls\n"),
    ],
)
def test_keys_that_are_sure_make_a_line_that_is_known(
    actions: list[Action], shell_input: str
) -> None:
    assert on(*actions).input == shell_input


@pytest.mark.parametrize(
    "actions",
    [
        [keys("Up"), keys("Return")],  # from its history
        [keys("ctrl+r"), TypeText("rm"), keys("Return")],
        [keys("ctrl+p", "Return")],
        [TypeText("l\t"), keys("Return")],  # completed
        [keys("Tab"), keys("Return")],
        [keys("ctrl+shift+v"), keys("Return")],  # pasted
        [keys("shift+Insert")],
        [keys("ctrl+y")],
        [keys("alt+period")],
        [keys("Escape"), TypeText("k\n")],
        [keys("ctrl+a"), TypeText("x\n")],  # moves in one editing mode, is typed in another
        [keys("ctrl+w")],
        [keys("ctrl+d")],
        [keys("ctrl+o")],
        [keys("F5")],
        [TypeText("caf\u00e9\n")],
        [keys("\u00e9")],
        [keys("a", hold_s=1)],
        [Click(), TypeText("ls\n")],
        [TypeText("cat\nls\n")],  # the second line may be for the program of the first
        [TypeText("less x\nv\n")],
        [keys("l", "s", "Return", "Left", "x")],
        [TypeText("echo '\n"), TypeText("ls\n")],  # the second line goes on in the first
        [TypeText("ls \\\n"), TypeText("ls\n")],
        [TypeText("cat <<E\n"), TypeText("ls\n")],
        [TypeText("for x in 1\n"), TypeText("ls\n")],
        [TypeText("echo !x\n"), TypeText("ls\n")],
        [TypeText("x"), keys("x", "ctrl+c"), TypeText("ls\n")],  # what came before may have ended the shell's prompt
    ],
)  # fmt: skip
def test_anything_else_makes_the_line_unknown_until_it_is_given_up(actions: list[Action]) -> None:
    line = on(*actions)
    assert line.input is None
    assert line.doubt
    again = on(keys("ctrl+c"), TypeText("ls\n"), line=begun(line))
    assert again.input == "ls\n"


def test_giving_a_line_up_counts_only_at_a_shells_prompt() -> None:
    unknown = Line().doubted(UNSEEN)
    assert after(unknown, keys("ctrl+c"), prompt=False).doubt == UNSEEN
    assert after(unknown, keys("ctrl+c"), prompt=True).input == ""


def test_a_doubt_stays_the_first_one() -> None:
    assert typed(Line().doubted("first"), "\t").doubt == "first"


@pytest.mark.parametrize(
    "text",
    ["", "ls", "ls -l | wc -l", "echo \"a b\" 'c'", "a && b; c &", "echo ${HOME} x\\ y", "(ls)", "[ -e x ]"],
)  # fmt: skip
def test_a_line_that_ends_its_command_is_told(text: str) -> None:
    assert complete(text)


@pytest.mark.parametrize(
    "text",
    ["echo 'x", 'echo "x', "ls \\", "a &&", "a ||", "a |", "a |& ", "(ls", "{ ls", "if x", "[[ a", "cat <<E",
     "echo $'it\\'s", "echo `x", "x() {", "echo # it's", 'echo "$(x "y)"', "echo ${x:-'", "case x in", "! ls"],
)  # fmt: skip
def test_a_line_that_may_go_on_is_told(text: str) -> None:
    assert not complete(text)


def test_a_quiet_command_is_one_of_plain_words() -> None:
    assert quiet("cd ~/src/x-1")
    assert quiet("  ")
    assert not quiet("cat x")
    assert not quiet("echo x > y")
    assert not quiet("ls; cat")


@given(st.lists(st.one_of(st.text(PRINTED, max_size=8), st.sampled_from([0, 1, 2, 3, 4, 5]))))
def test_a_line_is_what_an_editor_would_make_of_the_same_keys(parts: list[str | int]) -> None:
    """Against a second, plainer model of the line: two halves around the cursor."""
    names = ["Left", "Right", "Home", "End", "BackSpace", "Delete"]
    line, left, right = Line(), "", ""
    for part in parts:
        if isinstance(part, str):
            line, left = typed(line, part), left + part
            continue
        line = begun(after(line, keys(names[part]), prompt=True))
        match part:
            case 0:
                left, right = left[:-1], left[-1:] + right
            case 1:
                left, right = left + right[:1], right[1:]
            case 2:
                left, right = "", left + right
            case 3:
                left, right = left + right, ""
            case 4:
                left = left[:-1]
            case _:
                right = right[1:]
    assert (line.text, line.at, line.doubt) == (left + right, len(left), "")
