"""Linear and integer programming engines behind one small protocol."""
