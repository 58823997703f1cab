"""What no safe pattern costs less than, proved for tables of any size from what each sub-table says by itself."""
