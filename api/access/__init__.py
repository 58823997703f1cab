"""Who may do what: keys and sessions, roles, and what browsers are kept from doing."""
