"""Several methods side by side on one release."""
