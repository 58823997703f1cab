"""The way in from Python: what `import tableseal as ts` gives, one function a file."""
