"""The daemon as the bed starts it: the product's own, that prints its stacks when it is sent SIGUSR2."""

from __future__ import annotations

import faulthandler
import signal
import sys

from slate_desktop.__main__ import main

if __name__ == "__main__":
    faulthandler.register(signal.SIGUSR2, all_threads=True)
    sys.exit(main(["daemon", *sys.argv[1:]]))
