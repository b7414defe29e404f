"""The test bed: small scriptable programs that play applications and the person, and oracles of
their own.
"""
