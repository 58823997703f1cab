"""What the letters, words and marks of agencies and programs mean: `schemes` (letters of other tools), `column` (status
columns), `flags` (columns that nobody has explained), `marks` and `usual_marks` (texts in value columns)."""
