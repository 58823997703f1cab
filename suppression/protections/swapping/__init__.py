"""Record swapping: households exchange their places of residence."""
