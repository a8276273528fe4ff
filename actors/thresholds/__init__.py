"""How strongly to compress, where to place, and what a view costs: learned from what came of earlier views."""
