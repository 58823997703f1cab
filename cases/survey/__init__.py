"""A made-up survey of structural business statistics, from records to certificate: python -m cases.survey FOLDER"""
