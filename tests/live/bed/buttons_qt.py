"""A Qt window with 200 buttons."""

from __future__ import annotations

from PyQt5 import QtWidgets


def main() -> None:
    """Show it until it is closed."""
    application = QtWidgets.QApplication(["bed buttons"])
    application.setDesktopFileName("bed.buttons")
    window = QtWidgets.QWidget()
    window.setWindowTitle("bed buttons")
    grid = QtWidgets.QGridLayout(window)
    for number in range(200):
        grid.addWidget(QtWidgets.QPushButton(f"{number}"), number // 20, number % 20)
    window.show()
    application.exec_()


if __name__ == "__main__":
    main()
