"""Lines of settings: headers, keys, tables in lists, quoted names."""

from __future__ import annotations

from slated.policy.rules_lines import line_of, settings

TEXT = """a = 1
[b]
"c d" = 2
e.f = 3
[[g]]
h = 4
[[g]]
h = [
  5,
]
"""


def test_every_setting_has_its_line() -> None:
    assert dict((path, line) for line, path in settings(TEXT)) == {
        ("a",): 1, ("b",): 2, ("b", "c d"): 3, ("b", "e", "f"): 4, ("g", 0): 5, ("g", 0, "h"): 6, ("g", 1): 7,
            ("g", 1, "h"): 8,
    }  # fmt: skip


def test_the_nearest_line_stands_for_what_is_missing() -> None:
    assert line_of(TEXT, ("g", 1, "h", 0)) == 8
    assert line_of(TEXT, ("g", 1, "x")) == 7
    assert line_of(TEXT, ("z",)) == 0
