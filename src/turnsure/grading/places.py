"""Places named together with what they lie in: "Bogor, Indonesia", "Chicago, IL".

Only a tail that ends in a known region counts, since "France, Spain" has the same form and is a
list.  For the same reason the region must be of a higher rank than the place: a state lies in a
country, a country on a continent, but no country lies in a country.  Ranks: 3 continents, 2
countries, 1 states, provinces, territories and parts of a kingdom, 0 anything else.
"""

from __future__ import annotations

import re
from functools import cache

from turnsure.grading.normalise import normal

MAX_TAIL = 2
"""A place is followed by at most this many regions, as in "Bogor, West Java, Indonesia"."""

_CONTINENTS = """
Africa, Antarctica, Asia, Europe, North America, Central America, South America, Latin America,
Oceania, Middle East, Caribbean
"""
_COUNTRIES = """
Afghanistan, Albania, Algeria, Andorra, Angola, Antigua and Barbuda, Argentina, Armenia, Australia,
Austria, Azerbaijan, Bahamas, Bahrain, Bangladesh, Barbados, Belarus, Belgium, Belize, Benin,
Bhutan, Bolivia, Bosnia and Herzegovina, Botswana, Brazil, Brunei, Bulgaria, Burkina Faso, Burma,
Burundi, Cambodia, Cameroon, Canada, Cape Verde, Cabo Verde, Central African Republic, Chad, Chile,
China, Colombia, Comoros, Congo, Republic of the Congo, Democratic Republic of the Congo,
Costa Rica, Côte d'Ivoire, Croatia, Cuba, Cyprus, Czechia, Czech Republic, Denmark, Djibouti,
Dominica, Dominican Republic, East Timor, Timor-Leste, Ecuador, Egypt, El Salvador,
Equatorial Guinea, Eritrea, Estonia, Eswatini, Ethiopia, Fiji, Finland, France, Gabon, Gambia,
Georgia, Germany, Ghana, Greece, Grenada, Guatemala, Guinea, Guinea-Bissau, Guyana, Haiti, Honduras,
Hong Kong, Hungary, Iceland, India, Indonesia, Iran, Iraq, Ireland, Israel, Italy, Ivory Coast,
Jamaica, Japan, Jordan, Kazakhstan, Kenya, Kiribati, Kosovo, Kuwait, Kyrgyzstan, Laos, Latvia,
Lebanon, Lesotho, Liberia, Libya, Liechtenstein, Lithuania, Luxembourg, Madagascar, Malawi,
Malaysia, Maldives, Mali, Malta, Marshall Islands, Mauritania, Mauritius, Mexico, Micronesia,
Moldova, Monaco, Mongolia, Montenegro, Morocco, Mozambique, Myanmar, Namibia, Nauru, Nepal,
Netherlands, New Zealand, Nicaragua, Niger, Nigeria, North Korea, North Macedonia, Norway, Oman,
Pakistan, Palau, Palestine, Panama, Papua New Guinea, Paraguay, Peru, Philippines, Poland, Portugal,
Qatar, Romania, Russia, Rwanda, Saint Kitts and Nevis, Saint Lucia,
Saint Vincent and the Grenadines, Samoa, San Marino, São Tomé and Príncipe, Saudi Arabia, Senegal,
Serbia, Seychelles, Sierra Leone, Singapore, Slovakia, Slovenia, Solomon Islands, Somalia,
South Africa, South Korea, South Sudan, Spain, Sri Lanka, Sudan, Suriname, Swaziland, Sweden,
Switzerland, Syria, Taiwan, Tajikistan, Tanzania, Thailand, Togo, Tonga, Trinidad and Tobago,
Tunisia, Turkey, Türkiye, Turkmenistan, Tuvalu, Uganda, Ukraine, United Arab Emirates, UAE, United
Kingdom, UK, Great Britain, United States, United States of America, US, USA, Uruguay, Uzbekistan,
Vanuatu, Vatican City, Venezuela, Vietnam, Yemen, Zambia, Zimbabwe
"""
_STATES = """
England, Scotland, Wales, Northern Ireland, New South Wales, Queensland, South Australia, Tasmania,
Victoria, Western Australia, Ontario, Quebec, British Columbia, Alberta, Manitoba, Saskatchewan,
Nova Scotia, New Brunswick, Newfoundland and Labrador, Prince Edward Island, Bavaria, Saxony,
Catalonia, Andalusia, Sicily, Sardinia, Tuscany, Lombardy, Brittany, Normandy, Provence, Kerala,
Punjab, Maharashtra, Tamil Nadu, West Bengal, Uttar Pradesh, Java, West Java, Central Java,
East Java, Bali, Sumatra, Hokkaido, Honshu, Puerto Rico, Greenland, Faroe Islands, Bermuda, Aruba,
Curaçao, Gibraltar, Guam, Macau, Martinique, Guadeloupe, Réunion, French Guiana, French Polynesia,
New Caledonia, Western Sahara, Cayman Islands, Falkland Islands, Isle of Man, Jersey, Guernsey
"""
_UNITED_STATES = """
AL Alabama, AK Alaska, AZ Arizona, AR Arkansas, CA California, CO Colorado, CT Connecticut,
DE Delaware, DC District of Columbia, FL Florida, GA Georgia, HI Hawaii, ID Idaho, IL Illinois,
IN Indiana, IA Iowa, KS Kansas, KY Kentucky, LA Louisiana, ME Maine, MD Maryland, MA Massachusetts,
MI Michigan, MN Minnesota, MS Mississippi, MO Missouri, MT Montana, NE Nebraska, NV Nevada,
NH New Hampshire, NJ New Jersey, NM New Mexico, NY New York, NC North Carolina, ND North Dakota,
OH Ohio, OK Oklahoma, OR Oregon, PA Pennsylvania, RI Rhode Island, SC South Carolina,
SD South Dakota, TN Tennessee, TX Texas, UT Utah, VT Vermont, VA Virginia, WA Washington,
WV West Virginia, WI Wisconsin, WY Wyoming
"""
_CODE = re.compile(r"[A-Z]\.?\s?[A-Z]\.?")


def same_place(left: str, right: str) -> bool:
    """Whether one text is the other followed by the regions it lies in (see the module)."""
    long, short = sorted((_parts(left), _parts(right)), key=len, reverse=True)
    tail = long[len(short) :]
    if not 1 <= len(tail) <= MAX_TAIL or not short or "" in long or long[: len(short)] != short:
        return False
    return _rank(tail[-1]) > _rank(short[-1]) or (_rank(tail[-1]) > 0 and tail[-1] == short[-1])


def _parts(text: str) -> list[str]:
    """Normal forms of the comma-separated parts, codes of states written out."""
    return [_part(part.strip()) for part in text.split(",")]


def _part(text: str) -> str:
    code = _CODE.fullmatch(text)
    return (_codes().get(normal(text)) if code else None) or normal(text)


def _rank(region: str) -> int:
    return _ranks().get(region, 0)


@cache
def _ranks() -> dict[str, int]:
    states = (*_names(_STATES), *_codes().values())
    ranked = enumerate((states, _names(_COUNTRIES), _names(_CONTINENTS)), start=1)
    return {name: rank for rank, names in ranked for name in names}


@cache
def _codes() -> dict[str, str]:
    entries = [entry.strip().split(" ", 1) for entry in _UNITED_STATES.split(",")]
    return {normal(code): normal(name) for code, name in entries}


def _names(block: str) -> list[str]:
    return [normal(name) for name in block.split(",")]
