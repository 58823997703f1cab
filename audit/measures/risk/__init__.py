"""Risk of whole frequency tables, before and after protection, and of samples."""
