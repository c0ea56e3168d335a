"""Lists of English words that the guards need.  Everything is in lower case."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


COMMON_PARTS = _words(
    """africa america asia australia europe antarctica pacific atlantic arctic north south east
    west northern southern eastern western central great new old united states republic kingdom
    democratic people peoples federation federal islands island saint city town county lake river
    mount mountain ocean valley bridge tower palace castle cathedral church museum temple
    university company national international world black white green golden grand little upper
    lower general street house party league union"""
)
"""Parts of names that a fair hint may need."""

QUESTION_WORDS = _words("what which who whom whose where when why how")
"""Words that open a question which yes or no does not answer."""

OPENERS = _words(
    """is are was were am has have had do does did can could will would shall should may might
    must isnt arent wasnt werent hasnt havent dont doesnt didnt cant couldnt wont wouldnt"""
)
"""Verbs that open a question which yes or no answers."""

PLACING = _words("locate located situated lie lies found part belong belongs exist exists")
"""Words that say no more than "is" when two hints are compared."""
