"""What the exporter serves."""
