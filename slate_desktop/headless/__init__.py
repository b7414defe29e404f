"""A desktop without a screen: a sway that works here, and sessions that end without a trace."""
