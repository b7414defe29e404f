"""The seat filter: a process between one launch's programs and the compositor that announces our seat first."""
