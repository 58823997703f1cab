"""Large components without structure: exact tables from interior points, and tables of whole units slice by slice."""
