"""The application of Qt 5 or 6: `kits.qt SOCKET TITLE VERSION`."""

from __future__ import annotations

import importlib
import sys
from typing import Any

from tests.live.bed.kits.sheet import (
    ITEMS,
    PAINTED,
    PARCEL,
    PRESS,
    WORDS,
    Sheet,
    answered,
    chord,
    conversation,
)

VERSION = sys.argv[3]
core: Any = importlib.import_module(f"PyQt{VERSION}.QtCore")
gui: Any = importlib.import_module(f"PyQt{VERSION}.QtGui")
widgets: Any = importlib.import_module(f"PyQt{VERSION}.QtWidgets")
Qt = core.Qt
BUTTONS = {
    Qt.MouseButton.LeftButton: "left",
    Qt.MouseButton.RightButton: "right",
    Qt.MouseButton.MiddleButton: "middle",
}
MODIFIERS = (Qt.Key.Key_Control, Qt.Key.Key_Alt, Qt.Key.Key_Shift)
SHEET = Sheet()


class Pad(widgets.QFrame):  # type: ignore[misc]  # of a module chosen at run time
    """Says which buttons and wheels it got."""

    def mousePressEvent(self, event: Any) -> None:  # noqa: N802  # as Qt calls it
        SHEET.note("press", BUTTONS[event.button()])

    def mouseDoubleClickEvent(self, event: Any) -> None:  # noqa: N802  # as Qt calls it
        SHEET.note("double", BUTTONS[event.button()])

    def wheelEvent(self, event: Any) -> None:  # noqa: N802  # as Qt calls it
        turned = event.angleDelta()
        SHEET.note("wheel", [-turned.x() / 120, -turned.y() / 120])


class Field(widgets.QPlainTextEdit):  # type: ignore[misc]  # likewise
    """Says which chords it got."""

    def keyPressEvent(self, event: Any) -> None:  # noqa: N802  # as Qt calls it
        held, mask = event.modifiers(), Qt.KeyboardModifier
        ctrl, alt = bool(held & mask.ControlModifier), bool(held & mask.AltModifier)
        shift = bool(held & mask.ShiftModifier)
        plain = not (ctrl or alt) and event.text() and event.text().isprintable()
        key = event.text() if plain else gui.QKeySequence(event.key()).toString()
        name = chord(key, ctrl=ctrl, alt=alt, shift=shift)
        if name in (None, "ctrl+v"):
            super().keyPressEvent(event)
        elif event.key() not in MODIFIERS:
            SHEET.note("key", name)


class Source(widgets.QLabel):  # type: ignore[misc]  # likewise
    """Hands a parcel over."""

    def mouseMoveEvent(self, _event: Any) -> None:  # noqa: N802  # as Qt calls it
        drag, data = gui.QDrag(self), core.QMimeData()
        data.setText(PARCEL)
        drag.setMimeData(data)
        drag.exec(Qt.DropAction.CopyAction)


class Goal(widgets.QLabel):  # type: ignore[misc]  # likewise
    """Takes it."""

    def dragEnterEvent(self, event: Any) -> None:  # noqa: N802  # as Qt calls it
        event.acceptProposedAction()

    def dropEvent(self, event: Any) -> None:  # noqa: N802  # as Qt calls it
        event.acceptProposedAction()
        SHEET.note("drop", event.mimeData().text())


class QtKit:
    """The window."""

    def __init__(self, title: str) -> None:
        self.window = widgets.QWidget()
        self.window.setWindowTitle(title)
        self.pad, self.view, self.label = Pad(), Field(), widgets.QLabel(WORDS)
        self.pad.setFixedHeight(150)
        self.pad.setAutoFillBackground(True)
        self.view.setLineWrapMode(widgets.QPlainTextEdit.LineWrapMode.WidgetWidth)
        button, menu = widgets.QPushButton(PRESS), widgets.QPushButton("Choose")
        button.clicked.connect(SHEET.noting("pressed", "button"))
        items = widgets.QMenu(menu)
        for name in ITEMS:
            items.addAction(name).triggered.connect(SHEET.noting("chosen", name))
        menu.setMenu(items)
        source, goal = Source("take this"), Goal("put it here")
        goal.setAcceptDrops(True)
        line, box = widgets.QHBoxLayout(), widgets.QVBoxLayout(self.window)
        for part in (menu, button, source, goal, self.label):
            line.addWidget(part)
        box.addWidget(self.pad)
        box.addWidget(self.view)
        box.addLayout(line)
        self._parts = dict(
            pad=self.pad,
            field=self.view,
            menu=menu,
            source=source,
            goal=goal,
            button=button,
            words=self.label,
        )
        self.window.resize(600, 420)
        self.paint(PAINTED)
        self.window.show()
        self.focus()

    def parts(self) -> dict[str, list[float]]:
        """Where the parts are."""
        found = {}
        for name, widget in self._parts.items():
            at = widget.mapTo(self.window, core.QPoint(0, 0))
            found[name] = [at.x(), at.y(), widget.width(), widget.height()]
        return found

    def text(self) -> str:
        """The field."""
        return str(self.view.toPlainText())

    def fill(self, text: str) -> None:
        """Put text there."""
        self.view.setPlainText(text)
        self.view.moveCursor(gui.QTextCursor.MoveOperation.End)

    def paint(self, colour: str) -> None:
        """The pad's colour."""
        palette = self.pad.palette()
        palette.setColor(gui.QPalette.ColorRole.Window, gui.QColor(colour))
        self.pad.setPalette(palette)

    def say(self, words: str) -> None:
        """The label."""
        self.label.setText(words)

    def focus(self) -> None:
        """The field."""
        self.view.setFocus()


def main(path: str, title: str) -> None:
    """Open the window and answer until the test has gone."""
    application = widgets.QApplication([f"kit.qt{VERSION}"])
    application.setDesktopFileName(f"kit.qt{VERSION}")
    kit = QtKit(title)
    verbs, lines = SHEET.verbs(kit), conversation(path)
    notifier = core.QSocketNotifier(lines.fd, core.QSocketNotifier.Type.Read)
    notifier.activated.connect(lambda *_: None if answered(lines, verbs) else application.quit())
    application.exec()


if __name__ == "__main__":
    main(*sys.argv[1:3])
