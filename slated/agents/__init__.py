"""Agent programs that are not ours: what their hooks say, how they are registered, how far each is guarded."""
