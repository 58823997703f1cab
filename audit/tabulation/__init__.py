"""Tables made of microdata: values of all combinations of codes, and who contributes to them."""
