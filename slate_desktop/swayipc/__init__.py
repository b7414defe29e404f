"""Sway's own IPC: what is open and where, and the commands that change it."""
