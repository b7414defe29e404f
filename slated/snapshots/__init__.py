"""Undo: what was there before a call, what a call changed since, and how to bring it back."""
