"""The append-only log of everything that was asked, decided and done: lines, writer, anchors, judgement, queries."""
