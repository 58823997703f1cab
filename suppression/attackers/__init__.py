"""Attackers of a pattern, in the words of `audit.attackers`: what a search has to ask for because of insiders.

requirements.py   `InsiderRequirements`: what insiders require that a pattern does not meet
neighbourhood.py  which cells hang together under a pattern in the audit's eyes
lasting.py        which requirements every safe pattern meets, so that bounds may rest on them
watch.py          insiders as what an oracle watches for: asked about once a pattern does not withstand them
shares.py         insiders with shares in cells, where nothing withstands somebody who knows these cells
"""
