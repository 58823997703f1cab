"""Pages of the service for people with a browser: rendered here, nothing is loaded from elsewhere."""
