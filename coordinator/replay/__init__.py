"""What each view would have shown of real changes."""
