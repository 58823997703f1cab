"""A comparison study of a table generator: the same requests, protected before or after tabulation by several methods.

Source: Shlomo, Antal & Elliot 2015, section 5.
"""
