"""The application of SDL 2: one canvas that hears everything."""

from __future__ import annotations

import ctypes
import select
import sys
from typing import Any

import sdl2

from tests.live.bed.kits.sheet import PAINTED, Sheet, answered, chord, conversation

BUTTONS = {1: "left", 2: "middle", 3: "right"}
MODIFIERS = range(sdl2.SDLK_LCTRL, sdl2.SDLK_RGUI + 1)
LOOK_S = 0.01
SIZE = (600, 420)


class Canvas:
    """The window."""

    def __init__(self, title: str, sheet: Sheet) -> None:
        self.sheet = sheet
        self.written, self.colour = "", PAINTED
        sdl2.SDL_SetHint(b"SDL_APP_NAME", b"kit.sdl")
        if sdl2.SDL_Init(sdl2.SDL_INIT_VIDEO):
            raise SystemExit(sdl2.SDL_GetError())
        flags = sdl2.SDL_WINDOW_RESIZABLE
        place = sdl2.SDL_WINDOWPOS_UNDEFINED
        self.window = sdl2.SDL_CreateWindow(title.encode(), place, place, *SIZE, flags)
        self.paint(PAINTED)
        sdl2.SDL_StartTextInput()

    def take(self) -> None:
        """Everything that has come."""
        event = sdl2.SDL_Event()
        while sdl2.SDL_PollEvent(ctypes.byref(event)):
            self._event(event)

    def _event(self, event: Any) -> None:
        match event.type:
            case sdl2.SDL_MOUSEBUTTONDOWN:
                button = BUTTONS[event.button.button]
                self.sheet.note("double" if event.button.clicks == 2 else "press", button)
            case sdl2.SDL_MOUSEWHEEL:
                self.sheet.note("wheel", [event.wheel.x, -event.wheel.y])
            case sdl2.SDL_TEXTINPUT:
                self.written += event.text.text.decode()
            case sdl2.SDL_KEYDOWN:
                self._key(event.key.keysym)
            case sdl2.SDL_DROPTEXT | sdl2.SDL_DROPFILE:
                self.sheet.note("drop", event.drop.file.decode())
            case sdl2.SDL_WINDOWEVENT:
                self.paint(self.colour)

    def _key(self, symbol: Any) -> None:
        name = chord(
            sdl2.SDL_GetKeyName(symbol.sym).decode(),
            ctrl=bool(symbol.mod & sdl2.KMOD_CTRL),
            alt=bool(symbol.mod & sdl2.KMOD_ALT),
            shift=bool(symbol.mod & sdl2.KMOD_SHIFT),
        )
        if name == "ctrl+v":
            self.written += sdl2.SDL_GetClipboardText().decode()
        elif name is not None and symbol.sym not in MODIFIERS:
            self.sheet.note("key", name)

    def parts(self) -> dict[str, list[float]]:
        """All of it is one part."""
        width, height = ctypes.c_int(), ctypes.c_int()
        sdl2.SDL_GetWindowSize(self.window, ctypes.byref(width), ctypes.byref(height))
        all_ = [0.0, 0.0, float(width.value), float(height.value)]
        return {"pad": all_, "field": all_, "goal": all_}

    def text(self) -> str:
        """All that was typed."""
        return self.written

    def fill(self, text: str) -> None:
        """As if that had been typed."""
        self.written = text

    def paint(self, colour: str) -> None:
        """One colour."""
        self.colour = colour
        surface = sdl2.SDL_GetWindowSurface(self.window)
        value = sdl2.SDL_MapRGB(surface.contents.format, *bytes.fromhex(colour[1:]))
        sdl2.SDL_FillRect(surface, None, value)
        sdl2.SDL_UpdateWindowSurface(self.window)

    def say(self, words: str) -> None:
        """It shows no words; its title does."""
        sdl2.SDL_SetWindowTitle(self.window, words.encode())

    def focus(self) -> None:
        """There is nothing else that could have it."""


def main(path: str, title: str) -> None:
    """Answer until the test has gone."""
    sheet = Sheet()
    canvas = Canvas(title, sheet)
    verbs, lines = sheet.verbs(canvas), conversation(path)
    while True:
        canvas.take()
        ready, _, _ = select.select([lines.fd], [], [], LOOK_S)
        if ready and not answered(lines, verbs):
            return


if __name__ == "__main__":
    main(*sys.argv[1:3])
