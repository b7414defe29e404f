"""Effects of desktop tools, by the sighting behind them: the element, the window, the terminal's line, the seat."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from slated.policy.effects import Ask, Effect, Mild, Note, Run, RunText
from slated.policy.gui_words import WITHOUT_BLANKS, WORDS
from slated.policy.words import Word, plain


@dataclass(frozen=True, slots=True)
class Scene:
    """What was seen where a desktop tool is aimed; never what the agent says about it.

    `role` and `name` are those of the element that was hit (empty: none known); `form` are the names of the
    buttons that Return would press. `line` is what was typed to a shell since the last Return with what the call
    adds, each finished line with its end; None where no shell reads it. `doubt` says why more may stand there.
    """

    app_id: str = ""
    title: str = ""
    role: str = ""
    name: str = ""
    form: tuple[str, ...] = ()
    terminal: bool = False
    password: bool = False
    private: bool = False
    person_seat: bool = False
    ours: bool = False
    """The window belongs to Slate: its approvals, its prompts."""
    line: str | None = None
    doubt: str = ""


LOOKS = frozenset(
    "desktop_windows desktop_screenshot desktop_elements desktop_read desktop_wait desktop_status"
    " desktop_clipboard_get".split()
)
CONTENT = frozenset("desktop_screenshot desktop_elements desktop_read desktop_wait".split())
"""Looks that show what is in a window."""
POINTS = frozenset("desktop_click desktop_drag desktop_element_click".split())
MOVES = frozenset(
    "desktop_move desktop_scroll desktop_close desktop_focus desktop_window_set desktop_arrange desktop_show"
    " desktop_hide"
    " desktop_clipboard_set".split()
)
TYPES = frozenset("desktop_type desktop_key desktop_element_set_text".split())
TOOLS = LOOKS | POINTS | MOVES | TYPES | {"desktop_launch", "desktop_batch"}
PLAIN_KEY = re.compile(
    r"(?:shift\+)?[a-z0-9]|space|backspace|page_(?:up|down)|prior|next", re.IGNORECASE
)
"""Keys that run nothing in a shell, whatever stands on its line."""
HISTORY = re.compile(r"![^\s=]|^\^", re.MULTILINE)
RETURN = frozenset("return enter kp_enter ctrl+j ctrl+m ctrl+o".split())
MOST_STEPS = 30


def risky_word(names: Iterable[str], extra: Mapping[str, tuple[str, ...]]) -> str | None:
    """The first listed word that one of the names holds."""
    text = [name.casefold() for name in names if name]
    if not text:
        return None
    for lists in (WORDS, extra):
        for language, words in lists.items():
            pattern = _any_of(tuple(words), whole=language not in WITHOUT_BLANKS)
            if any(pattern.search(name) for name in text):
                alone = (w for w in words for name in text if _found(w, name, language))
                return next(alone)
    return None


def _found(word: str, name: str, language: str) -> bool:
    return bool(_any_of((word,), whole=language not in WITHOUT_BLANKS).search(name))


@lru_cache(maxsize=256)
def _any_of(words: tuple[str, ...], *, whole: bool) -> re.Pattern[str]:
    """What finds one of the words in a casefolded name; `whole`: not inside of a longer word."""
    either = "|".join(re.escape(word.casefold().replace("_", " ")) for word in words)
    return re.compile(rf"(?<!\w)(?:{either})(?!\w)" if whole else f"(?:{either})")


def effects(
    tool: str, arguments: Mapping[str, object], scene: Scene, extra: Mapping[str, tuple[str, ...]]
) -> list[Effect]:
    """What a desktop tool does. `extra` are the person's own words by language."""
    if tool in LOOKS:
        private = scene.private and tool in CONTENT
        return [
            Ask("window.private", "this window is private")
            if private
            else Note("desktop.look", "it only looks")
        ]
    if tool not in TOOLS:
        return [Ask("tool.unknown", f"{tool} is in none of the tables")]
    found: list[Effect] = []
    if scene.ours:
        found.append(Ask("window.ours", "this window belongs to Slate; an agent may not act on it"))
    if scene.person_seat or arguments.get("seat") == "user":
        found.append(Ask("desktop.person_seat", "it takes the person's own pointer and keyboard"))
    if scene.private:
        found.append(Ask("window.private", "this window is private"))
    return found + act(tool, arguments, scene, extra)


def act(
    tool: str, arguments: Mapping[str, object], scene: Scene, extra: Mapping[str, tuple[str, ...]]
) -> list[Effect]:
    """What an acting tool does."""
    if tool == "desktop_launch":
        return launch(arguments)
    if tool == "desktop_batch":
        return batch(arguments, scene, extra)
    if tool in POINTS:
        # "push button" is what toolkits call any button; the word counts in its name only.
        role = scene.role.removeprefix("push ")
        if scene.terminal and pastes(arguments, scene):
            return [Ask("terminal.paste", "what it pastes into the terminal is not known")]
        return [press([role, scene.name, str(arguments.get("action", ""))], extra)]
    if tool in TYPES:
        return typing(tool, arguments, scene, extra)
    return [Mild("desktop.act", "it changes only where windows, pointer and clipboard are")]


def press(names: Iterable[str], extra: Mapping[str, tuple[str, ...]]) -> Effect:
    """Pressing something with these names."""
    if word := risky_word(names, extra):
        return Ask("desktop.word", f"what it presses is called {word!r}, which may not be undone")
    return Mild("desktop.act", "nothing it presses is named after something that cannot be undone")


def typing(
    tool: str, arguments: Mapping[str, object], scene: Scene, extra: Mapping[str, tuple[str, ...]]
) -> list[Effect]:
    """Typing: into a password field, a terminal, a form, or plain text."""
    if scene.password:
        return [Ask("desktop.password", "it types into a password field")]
    key = str(arguments.get("combo") or arguments.get("key") or arguments.get("keys") or "")
    text = str(arguments.get("text", ""))
    if scene.terminal:
        return terminal(key if tool == "desktop_key" else "", text, scene)
    sends = key.casefold() in RETURN or (
        tool == "desktop_type" and bool(re.search(r"[\r\n]", text))
    )
    if sends and scene.form:
        return [press(scene.form, extra)]
    return [Mild("desktop.type", "it types text")]


def terminal(key: str, text: str, scene: Scene) -> list[Effect]:
    """Keys into a terminal: a finished line is a command line; what cannot be known is a question."""
    if re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]", text):
        return [Ask("terminal.key", "the text holds control characters")]
    if "\t" in text:
        return [Ask("terminal.key", "the terminal would complete the line in its own way")]
    if key.casefold() not in RETURN and not re.search(r"[\r\n]", text):
        certain = scene.line is not None and not scene.doubt
        if not key or certain or PLAIN_KEY.fullmatch(key):
            return [Mild("terminal.type", "nothing runs before Return")]
        return [Ask("terminal.key", f"what the key {key} does in this terminal is not known")]
    finished, ended, _ = (scene.line or "").rpartition("\n")
    found: list[Effect] = []
    if scene.doubt or not ended:
        why = f": {scene.doubt}; ctrl+c at a shell's prompt begins anew" if scene.doubt else ""
        found.append(Ask("terminal.line", f"what stands on the terminal's line is not known{why}"))
    if HISTORY.search(finished):
        why = "the shell may put lines of its history in place of ! or ^"
        found.append(Ask("terminal.history", why))
    return [*found, RunText(plain(finished), "terminal")] if ended else found


def pastes(arguments: Mapping[str, object], scene: Scene) -> bool:
    """Whether a press in a terminal pastes: the middle button, a menu's entry."""
    return arguments.get("button") == "middle" or "paste" in scene.name.casefold()


def launch(arguments: Mapping[str, object]) -> list[Effect]:
    """Starting a program: a desktop entry of the system, or a command in words."""
    argv = arguments.get("argv") or arguments.get("command")
    if isinstance(argv, (list, tuple)) and argv and all(isinstance(word, str) for word in argv):
        return [Run(tuple(Word(word, word) for word in argv))]
    app = arguments.get("app")
    if isinstance(app, str) and re.fullmatch(r"[\w.-]+", app):
        return [Mild("desktop.launch", f"it opens the application {app}")]
    return [Ask("desktop.launch", "what it would start is not known")]


def batch(
    arguments: Mapping[str, object], scene: Scene, extra: Mapping[str, tuple[str, ...]]
) -> list[Effect]:
    """A batch is as strict as its strictest step."""
    steps = arguments.get("steps")
    if not isinstance(steps, list) or len(steps) > MOST_STEPS:
        return [Ask("desktop.batch", "its steps cannot be read")]
    found: list[Effect] = []
    for step in steps:
        tool = step.get("tool") if isinstance(step, Mapping) else None
        inner = step.get("args", {}) if isinstance(step, Mapping) else None
        if not isinstance(tool, str) or not isinstance(inner, Mapping) or tool == "desktop_batch":
            return [Ask("desktop.batch", "one of its steps cannot be read")]
        found += effects(tool, inner, scene, extra)
    return found
