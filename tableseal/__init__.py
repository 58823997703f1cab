"""What can an intruder work out from the tables we are about to publish, and what must we withhold so that they cannot?

The folders `audit`, `suppression` and `api` beside this one are its packages: the links here make them one import name
in a working copy, the wheel has them in its own folder.
"""
