"""Widgets over AT-SPI2: the only room that speaks to the accessibility bus."""
