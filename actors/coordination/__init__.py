"""Sessions and the scent field, joined in one actor so that a claim is one call and one commit."""
