"""Our trees against those of a client that nobody here wrote."""
