"""The commands of `slate`, one module each: what they print, and their exit codes."""
