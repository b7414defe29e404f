"""An X server of its own for one launch: its process, its window manager, and the few words of X11 they need."""
