"""Every promise, broken on purpose in a copy of the sources, so that its tests are seen to fail: `make promises`."""
