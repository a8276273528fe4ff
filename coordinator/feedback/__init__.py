"""The quality feedback loop: measure an answer, find its weak side, and choose the context anew until it will do."""
