"""The upper package: an agent's own seat, eyes and windows on a Wayland desktop, served as MCP tools."""

__version__ = "0.1.0"
