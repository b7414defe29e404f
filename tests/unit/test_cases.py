"""docs/cases.md names only tests that exist, and leaves no row without a test or a reason."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
ROW = re.compile(r"^\| (R\d+) \| [^|]+ \| ([^|]+) \|$", re.MULTILINE)
NAME = re.compile(r"`(test_\w+)`")


def rows() -> dict[str, str]:
    """What each row of the page says is done about it."""
    return dict(ROW.findall((ROOT / "docs/cases.md").read_text(encoding="utf-8")))


def known() -> set[str]:
    """The names of all test functions."""
    return {
        node.name
        for path in (ROOT / "tests").rglob("test_*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }


def test_every_test_named_on_the_page_exists() -> None:
    there = known()
    missing = {
        row: [name for name in NAME.findall(said) if name not in there]
        for row, said in rows().items()
    }
    assert {row: names for row, names in missing.items() if names} == {}


def test_every_row_has_a_test_or_a_reason() -> None:
    empty = [row for row, said in rows().items() if len(said.strip()) < 20]
    assert empty == []


def test_no_line_of_the_tables_is_left_out_by_how_it_is_written() -> None:
    page = (ROOT / "docs/cases.md").read_text(encoding="utf-8")
    assert len(rows()) == len(re.findall(r"^\| R", page, re.MULTILINE))
