"""Desktop tools: graded by what was seen where they are aimed, never by what the agent says about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from slated.model import Tier
from slated.policy.decide import Decider, Decision, ToolCall
from slated.policy.facts import ProtectedRoots
from slated.policy.gui import Scene, risky_word
from tests.fakes.policy_world import PROJECT, facts, rules, setting

OBSERVE, REVERSIBLE, CONFIRM = Tier.OBSERVE, Tier.REVERSIBLE, Tier.CONFIRM
TERMINAL = Scene(app_id="foot", terminal=True)


def line(text: str) -> Scene:
    """A terminal with this on its shell's line, the call's own text counted in."""
    return replace(TERMINAL, line=text)


def decide(name: str, arguments: Mapping[str, object], scene: Scene, policy: str = "") -> Decision:
    decider = Decider(facts(), ProtectedRoots((PROJECT,)), rules(policy))
    return decider.decide(ToolCall("desktop", name, arguments, ours=True, scene=scene), setting())


@pytest.mark.parametrize(
    ("name", "arguments", "scene", "tier"),
    [
        ("desktop_screenshot", {}, Scene(), OBSERVE),
        ("desktop_screenshot", {}, Scene(private=True), CONFIRM),
        ("desktop_windows", {}, Scene(private=True), OBSERVE),
        ("desktop_click", {}, Scene(role="button", name="Open"), REVERSIBLE),
        ("desktop_click", {"element": "a harmless button"}, Scene(role="button", name="Send"), CONFIRM),
        ("desktop_click", {}, Scene(role="push button", name="Nachricht löschen"), CONFIRM),
        ("desktop_element_click", {}, Scene(role="push button", name="Open"), REVERSIBLE),
        ("desktop_element_click", {}, Scene(role="push button", name="Push"), CONFIRM),
        ("desktop_element_click", {}, Scene(name="立即付款"), CONFIRM),
        ("desktop_click", {"seat": "user"}, Scene(name="Open"), CONFIRM),
        ("desktop_click", {}, Scene(ours=True), CONFIRM),
        ("desktop_scroll", {}, Scene(), REVERSIBLE),
        ("desktop_key", {"combo": "Return"}, Scene(form=("Place order",)), CONFIRM),
        ("desktop_key", {"combo": "Return"}, Scene(form=("Search",)), REVERSIBLE),
        ("desktop_type", {"text": "hello\n"}, Scene(form=("Send",)), CONFIRM),
        ("desktop_type", {"text": "hello"}, Scene(form=("Send",)), REVERSIBLE),
        ("desktop_type", {"text": "x"}, Scene(password=True), CONFIRM),
        ("desktop_type", {"text": "ls -la\n"}, line("ls -la\n"), OBSERVE),
        ("desktop_type", {"text": "rm -rf /\n"}, line("rm -rf /\n"), CONFIRM),
        ("desktop_type", {"text": "rm -rf /"}, line("rm -rf /"), REVERSIBLE),
        ("desktop_key", {"combo": "Return"}, line("rm -rf /\n"), CONFIRM),
        ("desktop_key", {"combo": "Return"}, line("ls\n"), OBSERVE),
        ("desktop_key", {"combo": "Return"}, TERMINAL, CONFIRM),
        ("desktop_type", {"text": "; rm -rf /\n"}, line("ls; rm -rf /\n"), CONFIRM),
        ("desktop_type", {"text": "ls\n"}, line("ls"), CONFIRM),
        ("desktop_type", {"text": "echo !rm\n"}, line("echo !rm\n"), CONFIRM),
        ("desktop_type", {"text": "^ls^rm\n"}, line("^ls^rm\n"), CONFIRM),
        ("desktop_type", {"text": "[ ! -e x ]\n"}, line("[ ! -e x ]\n"), OBSERVE),
        ("desktop_key", {"key": "ctrl+u"}, line(""), REVERSIBLE),
        ("desktop_key", {"key": "ctrl+u"}, TERMINAL, CONFIRM),
        ("desktop_click", {"button": "middle"}, TERMINAL, CONFIRM),
        ("desktop_click", {"button": "left"}, TERMINAL, REVERSIBLE),
        ("desktop_element_click", {}, replace(TERMINAL, role="menu item", name="Paste"), CONFIRM),
        ("desktop_type", {"text": "ls\nrm -rf /\n"}, line("ls\nrm -rf /\n"), CONFIRM),
        ("desktop_type", {"text": "l\t\n"}, TERMINAL, CONFIRM),
        ("desktop_type", {"text": "\x12x\n"}, TERMINAL, CONFIRM),
        ("desktop_key", {"combo": "ctrl+shift+v"}, TERMINAL, CONFIRM),
        ("desktop_key", {"combo": "Up"}, TERMINAL, CONFIRM),
        ("desktop_key", {"combo": "ctrl+r"}, TERMINAL, CONFIRM),
        ("desktop_launch", {"app": "org.gnome.TextEditor"}, Scene(), REVERSIBLE),
        ("desktop_launch", {"argv": ["bash", "-c", "rm -rf /"]}, Scene(), CONFIRM),
        ("desktop_launch", {}, Scene(), CONFIRM),
        ("desktop_batch", {"steps": [{"tool": "desktop_scroll", "args": {}}, {"tool": "desktop_click",
            "args": {"seat": "user"}}]}, Scene(), CONFIRM),
        ("desktop_batch", {"steps": [{"tool": "desktop_windows", "args": {}}]}, Scene(), OBSERVE),
        ("desktop_batch", {"steps": [{"tool": "desktop_batch", "args": {}}]}, Scene(), CONFIRM),
        ("desktop_batch", {"steps": "x"}, Scene(), CONFIRM),
        ("desktop_new_tool", {}, Scene(), CONFIRM),
    ],
)  # fmt: skip
def test_a_desktop_tool_is_graded_by_its_sighting(
    name: str, arguments: Mapping[str, object], scene: Scene, tier: Tier
) -> None:
    got = decide(name, arguments, scene)
    assert got.tier is tier, f"{got.rule}: {got.reason}"


def test_a_line_that_is_not_known_says_why_and_how_to_begin_anew() -> None:
    got = decide("desktop_key", {"key": "Return"}, replace(TERMINAL, doubt="vim reads it"))
    assert (got.tier, got.rule) == (CONFIRM, "terminal.line")
    assert "vim reads it" in got.reason
    assert "ctrl+c" in got.reason


def test_what_is_known_of_a_line_counts_also_where_more_may_stand_on_it() -> None:
    for text, rule in (("cat ~/.ssh/id_rsa\n", "path.secret"), ("ls\n", "terminal.line")):
        got = decide("desktop_type", {"text": text}, replace(line(text), doubt="vim was there"))
        assert got.tier is CONFIRM
        assert rule in {got.rule, *(c.rule for c in got.commands if c.tier is CONFIRM)}


def test_a_window_listed_as_private_is_a_question_to_look_at() -> None:
    policy = '[windows]\nprivate = ["org.keepassxc.*"]\n'
    assert (
        decide("desktop_read", {}, Scene(app_id="org.keepassxc.KeePassXC"), policy).rule
        == "window.private"
    )
    assert decide("desktop_read", {}, Scene(app_id="foot"), policy).tier is OBSERVE


def test_words_count_whole_and_in_any_case() -> None:
    assert risky_word(["SEND NOW"], {}) == "send"
    assert risky_word(["Sender", "Postcode", "Undeleted", "Signal"], {}) is None
    assert risky_word(["Skicka"], {}) is None
    assert risky_word(["Skicka"], {"sv": ("skicka",)}) == "skicka"
    assert risky_word(["Empty Trash…"], {}) is not None
