"""Why a cell is withheld, and why nothing helps."""
