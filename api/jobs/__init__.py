"""Work that is done in the background: kinds of jobs, and the workers that do them."""
