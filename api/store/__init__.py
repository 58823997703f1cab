"""What the service keeps: jobs, files, events, keys, and who did what. SQLite or PostgreSQL."""
