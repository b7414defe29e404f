"""Tables of what works where, measured on the bed."""
