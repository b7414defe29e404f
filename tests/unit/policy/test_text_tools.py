"""sed and awk: their programs are read, and what is not understood is a question."""

from __future__ import annotations

import pytest

from slated.model import Tier
from tests.fakes.policy_world import grade


@pytest.mark.parametrize(
    ("command", "tier"),
    [("sed p f", Tier.OBSERVE), ("sed -n '/a/,/b/{p;=}' f", Tier.OBSERVE), ("sed 's/a/b/g; s|c|d|2' f",
        Tier.OBSERVE), ("sed -e '1i x' -e '$d' f", Tier.OBSERVE),
     ("sed 'y/ab/cd/' f", Tier.OBSERVE), ("sed ':a;N;ba' f", Tier.OBSERVE), ("sed -i.bak s/a/b/ f",
         Tier.REVERSIBLE), ("sed -ni p f", Tier.REVERSIBLE),
     ("sed -Ei s/a/b/ f", Tier.REVERSIBLE), ("sed --in-place p f", Tier.REVERSIBLE), ("sed -i p /x",
         Tier.CONFIRM), ("sed -i'/x/*' p f", Tier.CONFIRM),
     ("sed 'w /x' f", Tier.CONFIRM), ("sed s/a/b/w/x f", Tier.CONFIRM), ("sed 's/a/b/e' f", Tier.CONFIRM), ("sed"
         " e f", Tier.CONFIRM), ("sed '1!e id' f", Tier.CONFIRM),
     ("sed 'r .env' f", Tier.CONFIRM), ("sed -f x f", Tier.CONFIRM), ("sed p .env", Tier.CONFIRM), ("sed --frob"
         " p f", Tier.CONFIRM),
     ("awk '{print $1}' f", Tier.OBSERVE), ("awk -F: '$3>1000 && /x|y/ {n++} END {print n}' f", Tier.OBSERVE),
         ("awk 'BEGIN{print \"a|b > c\"}'", Tier.OBSERVE),
     ("awk -v a=1 '{print a}' f", Tier.OBSERVE), ("awk '{print > \"o\"}' f", Tier.REVERSIBLE), ("awk '{print >>"
         " \"/x\"}' f", Tier.CONFIRM), ("awk '{print > $1}' f", Tier.CONFIRM),
     ("awk '{print | \"sh\"}' f", Tier.CONFIRM), ("awk '{\"id\" | getline}' f", Tier.CONFIRM), ("awk"
         " '{system(\"x\")}' f", Tier.CONFIRM), ("awk '@load \"x\"' f", Tier.CONFIRM),
     ("awk '{getline < \"/x\"}' f", Tier.CONFIRM), ("awk -f x f", Tier.CONFIRM), ("awk 'BEGIN{ARGV[1]=\"x\"}1'"
         " f", Tier.CONFIRM), ("awk \"$X\" f", Tier.CONFIRM),
     ("awk '{print > \"/inet/tcp/0/h/1\"}'", Tier.CONFIRM), ("awk 1 .env", Tier.CONFIRM), ("gawk -i inplace 1"
         " f", Tier.CONFIRM)],
)  # fmt: skip
def test_a_text_program_is_graded_by_what_it_would_do(command: str, tier: Tier) -> None:
    got = grade(command)
    assert got.tier is tier, f"{got.rule}: {got.reason}"


@pytest.mark.parametrize(
    "program",
    ['/"/ {system("id")} /"/', 'BEGIN{x="a\\\n" system("id") ""}', '{if (1) /"/; system("id"); /"/}',
     '# "\nBEGIN{system("id")} # "', '{print "a" > "o" ".git"}', '{x = "\\""; system("id")}'],
)  # fmt: skip
def test_a_program_cannot_hide_between_quotes(program: str) -> None:
    assert grade(f"awk '{program}' f").tier is Tier.CONFIRM
