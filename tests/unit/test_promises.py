"""Each promise that can be broken today has a test that says so, and no test proves a promise
nobody made.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

from tests.breaks.breaks import BREAKS
from tests.promises import PROMISES

TESTS = Path(__file__).parents[1]


def proofs() -> dict[str, list[str]]:
    """Test files by the promise they prove, read off their `promise("id")` marks."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in sorted(TESTS.rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Call(
                    func=ast.Attribute(attr="promise"), args=[ast.Constant(value=str(id_))]
                ):
                    found[id_].append(path.name)
                case _:
                    pass
    return found


def test_each_promise_that_can_be_broken_has_a_test() -> None:
    proved = proofs()
    assert [
        id_ for id_, promise in PROMISES.items() if not promise.needs and id_ not in proved
    ] == []


def test_no_test_proves_a_promise_that_nobody_made() -> None:
    assert {id_: files for id_, files in proofs().items() if id_ not in PROMISES} == {}


def test_a_promise_with_a_test_is_no_longer_waiting_for_its_part() -> None:
    waiting = {id_ for id_, promise in PROMISES.items() if promise.needs}
    assert waiting & proofs().keys() == set()


def test_each_promise_is_broken_on_purpose_where_the_sources_still_say_what_breaks_it() -> None:
    assert {it.promise for it in BREAKS} == PROMISES.keys()
    root = TESTS.parent
    stale = [it for it in BREAKS if (root / it.path).read_text(encoding="utf-8").count(it.was) != 1]
    assert stale == []
