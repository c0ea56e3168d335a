"""The names that users may rely on."""

from __future__ import annotations

import pytest

import turnsure
from turnsure import calibration, metrics


@pytest.mark.parametrize("module", [turnsure, calibration, metrics])
def test_the_list_is_sorted_and_every_name_is_there(module):
    assert list(module.__all__) == sorted(module.__all__)
    for name in module.__all__:
        assert getattr(module, name) is not None


def test_the_list_of_turnsure():
    assert dir(turnsure) == turnsure.__all__
    assert turnsure.metrics is metrics
    assert turnsure.calibration is calibration


@pytest.mark.parametrize("module", [turnsure, calibration, metrics])
def test_an_unknown_name_is_an_attribute_error(module):
    with pytest.raises(AttributeError, match="nonsense"):
        _ = module.nonsense
