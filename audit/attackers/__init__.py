"""Attackers: who knows what, what it must not find out, and whether it does. The audit and the searches both ask here.

An *attacker* is an outsider, who knows what everybody does (`intruder` of a release says what), or an *insider*: the
only contributor of a cell, a coalition, a holding, or whoever else knows more. A *question* is how close one attacker
comes to one cell; a *requirement* is what must stay possible for a cell in the eyes of an attacker, which is what a
pattern has to meet; an *answer* has the verdict and, if it is too close, the finding.

attacker.py       `Attacker`: who it is, the cells that it knows and its shares in others
insiders.py       which insiders there are, and what they know: another one, such as somebody who knows a total, is a
                  function here; what they find out follows. By name (`insiders` of a release) it is an `InsiderKind` of
                  audit.model.release, and audit.py says for which cells the data do not allow it
ranks.py          the largest contributors of one cell, who ask about each other
contributors.py   `Contributors`: what the agency's data tell of all of them
estimates.py      `Estimate`: what somebody concludes about a contribution from an interval of the cell (formulas)
question.py       `Question`: what must not be estimated too closely, how far the cell must reach for that; the verdict
requirement.py    `Requirement`: what searches and the oracle (audit.decision) ask for
answer.py         `Answer`, `Finding`, and all of them together: `InsiderAudit`
asked.py          about which cells an attacker is asked
neighbourhood.py  which cells hang together
areas.py          the parts of a release that do, with all attackers in each
shown.py          tables that show to many attackers at once that they are not too close
attacked.py       what a single attacker can compute: the same components with changed bounds
audit.py          the insider audit of a release
"""
