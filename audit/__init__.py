"""What can an intruder work out from released tables?"""
