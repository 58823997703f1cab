"""Where independent pieces of work run: here, in processes, or on a Dask cluster. The answers are the same."""
