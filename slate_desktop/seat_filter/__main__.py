"""Starts a filter: `python -I -S __main__.py SOCKET`, with nothing but the standard library in reach."""

from __future__ import annotations

import os
import resource
import sys

# Started by its path, isolated: the package it is part of is not on the module path.
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))

from slate_desktop.seat_filter.proxy import main

if __name__ == "__main__":
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    main(int(sys.argv[1]))
