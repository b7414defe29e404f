"""Long runs that count: each has a short form inside `make test` and a full one behind its own
target.
"""
