"""The flexible table generator: rules, steps and memory by which a table that somebody asks for is answered or refused.

Source of the steps: Shlomo, Antal & Elliot 2015, section 2.3.
"""
