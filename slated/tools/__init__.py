"""The tools slated serves, one list of ToolSpec per family."""
