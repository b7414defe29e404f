"""Side-by-side measurements against the usual tools for the same job, on one sway, in one
interleaved run.
"""
