"""Bindings written by scripts/protocols.py from protocols/; never edited by hand."""
