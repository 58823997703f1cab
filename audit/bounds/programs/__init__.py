"""Linear and integer programs: a solver's answers as hints, for components that no dictionary answers."""
