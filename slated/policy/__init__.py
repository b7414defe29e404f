"""Grades what is asked before it happens: pure rules over facts given from outside, no IO of its own."""
