"""Notes anchored to code: files, entities, anchors checked over a view."""
