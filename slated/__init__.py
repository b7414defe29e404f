"""The lower package: policy, records and the wire. It knows no window, seat or pixel."""

__version__ = "0.1.0"
