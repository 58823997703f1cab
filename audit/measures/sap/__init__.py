"""SAP, the subtraction-attribution probability (Smith & Elliot 2007): how likely does an intruder who can subtract a
random sample of known units from the released tables recover a zero of the base table?"""
