"""Tiers are ordered, so that the strictest of several is their maximum."""

from __future__ import annotations

from slated.model import Grant, Tier, Verdict


def test_the_strictest_tier_of_a_group_is_its_maximum() -> None:
    assert max(Tier.OBSERVE, Tier.CONFIRM, Tier.REVERSIBLE) is Tier.CONFIRM
    assert [tier.word for tier in sorted(Tier)] == ["observe", "reversible", "confirm"]


def test_a_verdict_is_written_as_its_word() -> None:
    assert [str(verdict) for verdict in Verdict] == ["allow", "ask", "deny"]


def test_two_grants_for_one_intent_are_not_the_same_grant() -> None:
    assert Grant("d", Tier.OBSERVE, 1) != Grant("d", Tier.OBSERVE, 2)
