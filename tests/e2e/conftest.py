from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def smollm2_path() -> Path:
    """The default model's weights; ``TURNSURE_TEST_GGUF`` names another copy of them."""
    chosen = os.environ.get("TURNSURE_TEST_GGUF")
    if chosen:
        return Path(chosen)
    from turnsure.models.weights import default_model_path

    return default_model_path()
