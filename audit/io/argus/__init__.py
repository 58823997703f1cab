"""Files of tau-ARGUS: one format a file, text -> frozen data; `tabular.py` and `microdata.py` make releases of them."""
