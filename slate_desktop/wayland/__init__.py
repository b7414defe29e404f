"""The Wayland side of the compositor: one connection on one event loop; no proxy leaves here."""
