"""Excel workbooks: sheets as grids of texts, as far as what they hold can be trusted."""
