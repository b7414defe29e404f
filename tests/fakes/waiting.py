"""Rows of a catch-up and Seeds, as slated tells them to its command lines."""

from __future__ import annotations

from typing import Any


def proposal(name: str, **more: object) -> dict[str, Any]:
    return {
        "section": "proposal",
        "id": name,
        "workspace": "workspace-1",
        "kind": "risk",
        "slate": "task-1",
        "author": "user:local-1",
        "created": "2026-08-21T17:46:48.263Z",
        "digest": f"digest of {name}",
        "status": "proposed",
        "fresh": True,
        "reason": "",
        "writing": "",
        "seeds": 1,
        **more,
    }


def candidate(name: str, why: str = "unbound") -> dict[str, Any]:
    facts = {"workspace": "workspace-1" if why == "failed" else "", "closed": "2026"}
    return {
        "section": "candidate",
        "slate": name,
        "why": why,
        "kinds": {"risk": 1},
        "anchors": {"root": "/repo"},
        **facts,
    }


def seed(text: str, harness: str = "claude-code") -> dict[str, Any]:
    return {
        "id": "seed-1",
        "text": text,
        "ts": "2026-08-21T17:46:48.263Z",
        "kind": "risk",
        "origin": {"harness": harness},
        "trust": "external-unverified",
    }
