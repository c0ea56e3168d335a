"""Lists of English words that the guard of summaries needs.  Everything is in lower case."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


NEGATORS = _words(
    """not no nor neither never without cannot lack lacks lacking lacked excluding excludes excluded
    except unlike none nothing nobody nowhere false untrue fails failed incapable unable absent
    absence devoid hardly rejects denies denied"""
)
"""Words that deny what follows; so does any word in n't."""

NEGATING_PAIRS = frozenset({("rather", "than"), ("instead", "of"), ("other", "than")})
"""Pairs of words that deny what follows."""

NOT_NEGATING_AFTER = frozenset({"only", "just", "merely", "solely", "simply", "doubt"})
"""After these, as in "not only", nothing is denied."""

NEGATING_PREFIXES = ("non", "un")

STRONG_BARRIERS = _words("but while whereas although though however yet despite")
"""Words behind which a negation before them no longer holds."""

CLAUSE_WORDS = _words(
    """is are was were has have had does do did can could will would may might must it he she they
    who which that lives lived lies became made known"""
)
"""Words that, with an "and" or a comma before them, begin a clause of their own."""

FUNCTION_WORDS = _words(
    """a about above across after again against all almost along already also although always am
    among an and another any anybody anyone anything are around as at be became because become
    been before being below between both but by can cannot could did do does doing done down
    during each either else even ever every everybody everyone everything few for from further had
    has have having he her here hers herself him himself his how however i if in into is it its
    itself let like made make many may me might mine more most much must my myself neither never
    no nobody none nor not nothing now of off often on once one only onto or other others our out
    over own perhaps rather same she should since so some somebody someone something still such
    than that the their theirs them themselves then there these they this those though through
    thus to together too toward towards under until up upon us very was we well were what when
    where whereas whether which while who whom whose why will with within without would yes yet
    you your yours eg ie etc via per"""
)

SCAFFOLDING = _words(
    """answer answers actually apart based best category chiefly clue clues commonly consider
    considered currently described describes entity example famous first generally give given guess
    hint hints item kind known largely mainly mostly name named normally object particular people
    person possibly presently primarily probably question really refer referred refers secret sort
    specifically subject sure target thing things type typically usually widely
    depends maybe partially partly sometimes unclear unknown"""
)
"""Words of questions that say little of what is asked, and of answers that leave it open."""

NUMBER_WORDS: Mapping[str, int] = MappingProxyType(
    {
        word: value
        for value, words in (
            (0, "zero"),
            (1, "one first once single"),
            (2, "two second twice both pair couple double twin"),
            (3, "three third thrice triple"),
            (4, "four fourth"),
            (5, "five fifth"),
            (6, "six sixth"),
            (7, "seven seventh"),
            (8, "eight eighth"),
            (9, "nine ninth"),
            (10, "ten tenth"),
            (11, "eleven eleventh"),
            (12, "twelve twelfth dozen"),
            (13, "thirteen thirteenth"),
            (14, "fourteen fourteenth"),
            (15, "fifteen fifteenth"),
            (16, "sixteen sixteenth"),
            (17, "seventeen seventeenth"),
            (18, "eighteen eighteenth"),
            (19, "nineteen nineteenth"),
            (20, "twenty twentieth"),
            (30, "thirty thirtieth"),
            (40, "forty fortieth"),
            (50, "fifty fiftieth"),
            (60, "sixty sixtieth"),
            (70, "seventy seventieth"),
            (80, "eighty eightieth"),
            (90, "ninety ninetieth"),
        )
        for word in words.split()
    }
)

CASUAL_NUMBERS = _words(
    "zero one first once single second twice both pair couple double twin third dozen"
)
"""Number words that mostly count nothing: they answer for a number, but none is asked of them."""

SCALES: Mapping[str, Fraction] = MappingProxyType(
    {
        "hundred": Fraction(10**2),
        "thousand": Fraction(10**3),
        "million": Fraction(10**6),
        "billion": Fraction(10**9),
        "trillion": Fraction(10**12),
    }
)

NAMES_OF_PEOPLES: Mapping[str, str] = MappingProxyType(
    {
        "british": "britain",
        "danish": "denmark",
        "dutch": "netherlands",
        "english": "england",
        "finnish": "finland",
        "french": "france",
        "greek": "greece",
        "irish": "ireland",
        "norwegian": "norway",
        "polish": "poland",
        "portuguese": "portugal",
        "roman": "rome",
        "spanish": "spain",
        "swiss": "switzerland",
        "welsh": "wales",
    }
)
"""Peoples and languages that do not begin as the country does, in the singular."""

OPPOSITES: tuple[tuple[frozenset[str], frozenset[str]], ...] = tuple(
    (_words(left), _words(right))
    for left, right in (
        ("alive living live", "dead deceased died late extinct"),
        ("male man boy he his him", "female woman girl she her hers"),
        ("men males", "women females"),
        ("large larger big bigger huge", "small smaller little tiny"),
        ("tall taller", "short shorter"),
        ("old older elderly", "young younger"),
        ("indoors indoor inside", "outdoors outdoor outside"),
        ("coastal coast seaside", "inland landlocked"),
        ("real", "fictional imaginary mythical invented"),
        ("natural", "artificial manmade"),
        ("wild", "domestic domesticated tame"),
        ("hot warm", "cold cool"),
        ("before earlier", "after later"),
        ("more over above", "less fewer under below"),
        ("heavier heavy", "lighter light"),
        ("rich", "poor"),
        ("true", "false"),
        ("fly flies flying flight", "flightless"),
        ("acting actor actress", ""),
        ("film cinema movie", ""),
        ("science scientist scientific", ""),
        ("tv television", ""),
    )
)
"""Words that mean the same on each side, and the opposite of the other side, if there is one."""

COMPARING = _words("before after more less fewer over under above below")
"""Function words whose opposite may stand for a no."""

ABBREVIATIONS = _words("mr mrs ms dr st mt vs jr sr prof gen col capt lt ft no sen gov")
"""A full stop after these ends no sentence."""

YES = frozenset({"yes", "y", "true", "yep", "yeah", "correct"})
NO = frozenset({"no", "n", "false", "nope", "incorrect"})

WORD_ENDINGS = _words(
    """s es ed d ing er ers r or ors ly y ies ied al ial ic ical ics an ian ians n ish ese ous ness
    ist ists ism ity ive ion ions ation e able ful"""
) | {""}
"""Endings that leave a word of the same stem."""

NAME_ROOTS = _words("a e o y ey en land") | {""}
"""Ends of a name of a place, and …"""

NAME_ENDINGS = _words("n an ian ean ese i ish tish ic er ers")
"""… what takes their place in the name of its people or language."""

COUNTRIES_IN_SHORT: tuple[tuple[str, str], ...] = (
    (r"\b(?:United States(?: of America)?|USA?)\b|(?<!\w)U\.\s?S\.(?:\s?A\.)?", "America"),
    (r"\b(?:United Kingdom|UK)\b|(?<!\w)U\.\s?K\.", "Britain"),
)
"""Patterns of names that are written in many ways, with the one they are read as."""
