from __future__ import annotations

from pathlib import Path

import pytest

SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of public data beside the project; tests that need it skip without it."""
    if not SHARED_DATA.is_dir():
        pytest.skip(f"there is no public data in {SHARED_DATA}")
    return SHARED_DATA
