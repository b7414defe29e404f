"""How bytes travel between a client program and a daemon, on one machine."""
