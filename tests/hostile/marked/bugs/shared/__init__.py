"""Code that several samples share."""
