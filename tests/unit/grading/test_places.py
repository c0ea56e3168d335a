import pytest

from turnsure.grading.places import same_place


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("Bogor, Indonesia", "Bogor"),
        ("Bogor, West Java, Indonesia", "Bogor"),
        ("Bogor, West Java, Indonesia", "Bogor, West Java"),
        ("Bogor, the Indonesia", "BOGOR"),
        ("Chicago, IL", "Chicago"),
        ("Chicago, Ill, U.S.A.", "Chicago"),
        ("Chicago, IL, USA", "Chicago, Illinois"),
        ("New York, NY", "New York"),
        ("Texas, USA", "Texas"),
        ("France, Europe", "France"),
        ("Singapore, Singapore", "Singapore"),
        ("Washington, D.C., USA", "Washington, DC"),
    ],
)
def test_a_region_may_follow_on_either_side(left, right):
    assert same_place(left, right)
    assert same_place(right, left)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("Paris", "Paris"),  # nothing follows: not this rule's business
        ("Paris, Texas", "Paris, France"),
        ("Paris, Texas", "Texas"),
        ("France, Spain", "France"),
        ("France, Spain, Italy", "France"),
        ("Georgia, USA", "Georgia"),  # the country lies in no country
        ("Georgia, Texas", "Georgia"),
        ("Earth, Wind & Fire", "Earth"),
        ("Beyoncé, Rihanna", "Beyoncé"),
        ("Chicago, il", "Chicago"),  # codes are written in capitals
        ("Bogor, a, b, Indonesia", "Bogor"),
        ("Bogor, , Indonesia", "Bogor"),
        (", Indonesia", ""),
        ("", ""),
    ],
)
def test_lists_and_other_regions_do_not_match(left, right):
    assert not same_place(left, right)
    assert not same_place(right, left)
