"""Shared Agent Context: workspaces, and the way of Seeds through a person's review into knowledge."""
