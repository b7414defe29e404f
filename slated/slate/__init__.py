"""Slates: what an agent writes down while it works. The store, and the pure words it is made of."""
