"""One application per toolkit that says what reached it: clicks, keys, wheels, drops, choices, text."""
