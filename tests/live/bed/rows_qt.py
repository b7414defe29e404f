"""The rows in Qt 6: Qt 5 on Wayland has no tree in Debian 13."""

from __future__ import annotations

from typing import Any

from PyQt6 import QtCore, QtWidgets

from tests.live.bed.lines import Lines


class Qt:
    """Frames in a layout."""

    def __init__(self, title: str, used: list[str]) -> None:
        self.application: Any = QtWidgets.QApplication(["bed.rows"])
        self.application.setDesktopFileName("bed.rows")
        self.used: list[str] = used
        self.rows: dict[str, tuple[Any, Any]] = {}
        self.window: Any = QtWidgets.QWidget()
        self.window.setWindowTitle(title)
        self.layout: Any = QtWidgets.QVBoxLayout(self.window)
        self.window.resize(480, 420)
        self.window.show()
        self.over: Any = None

    def add(self, name: str, at: int) -> None:
        """A new row."""
        row, label, button = (
            QtWidgets.QFrame(),
            QtWidgets.QLabel(name),
            QtWidgets.QPushButton("Pick"),
        )
        button.clicked.connect(lambda: self.used.append(label.text()))
        line = QtWidgets.QHBoxLayout(row)
        line.addWidget(label)
        line.addWidget(button)
        self.layout.insertWidget(at, row)
        self.rows[name] = (row, label)

    def sort(self, names: list[str]) -> None:
        """The same widgets in another order."""
        for name in names:
            row = self.rows[name][0]
            self.layout.removeWidget(row)
            self.layout.addWidget(row)

    def rename(self, old: str, new: str) -> None:
        """Other words in the same widgets."""
        self.rows[new] = self.rows.pop(old)
        self.rows[new][1].setText(new)

    def clear(self) -> None:
        """No rows."""
        for row, _ in self.rows.values():
            self.layout.removeWidget(row)
            row.deleteLater()
        self.rows.clear()

    def dialog(self, *, shown: bool) -> None:
        """A modal dialog, or none."""
        if self.over is not None:
            self.over.close()
            self.over = None
        if shown:
            self.over = QtWidgets.QMessageBox(self.window)
            self.over.setText("Really?")
            self.over.setModal(True)
            self.over.show()

    def run(self, lines: Lines, verbs: dict[str, Any]) -> None:
        """Answer commands until stdin ends."""
        from tests.live.bed.rows import run_lines

        read: Any = QtCore.QSocketNotifier.Type.Read
        make: Any = QtCore.QSocketNotifier  # its stubs want a pointer where an int is documented
        notifier = make(lines.fd, read)
        notifier.activated.connect(
            lambda *_: None if run_lines(lines, verbs) else self.application.quit()
        )
        self.application.exec()


def open_(title: str, used: list[str]) -> Qt:
    """The window."""
    return Qt(title, used)
