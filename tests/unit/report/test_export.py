from __future__ import annotations

from xml.etree import ElementTree

import pytest
from PIL import Image

from tests.support.synthetic import Style, hostile, synthetic
from turnsure.core.errors import InputError
from turnsure.report.export import write_charts

NAMES = {"confidence_by_level", "reliability", "kendall_tau", "score_distribution", "trajectories"}


def test_every_chart_in_both_formats(tmp_path):
    folder = tmp_path / "deep" / "charts"
    written = write_charts(synthetic(12, {"fine": Style()}), folder)
    assert sorted(path.name for path in written) == sorted(
        f"{name}.{kind}" for name in NAMES for kind in ("png", "svg")
    )
    assert sorted(written) == sorted(folder.iterdir())
    for path in written:
        if path.suffix == ".svg":
            root = ElementTree.parse(path).getroot()
            assert root.tag == "{http://www.w3.org/2000/svg}svg"
        else:
            with Image.open(path) as image:
                assert image.format == "PNG"
                assert min(image.size) >= 200
                colours = image.convert("RGB").getcolors(image.width * image.height)
                assert len(colours) > 20


def test_one_format_of_hostile_names(tmp_path):
    written = write_charts(hostile(), tmp_path, ["svg"])
    assert {path.name for path in written} == {f"{name}.svg" for name in NAMES}
    for path in written:
        names = {node.tag.rsplit("}")[-1] for node in ElementTree.parse(path).iter()}
        assert not names & {"a", "script", "image"}


def test_the_same_data_give_the_same_file(tmp_path):
    data = synthetic(6, {"fine": Style()})
    first = [path.read_text() for path in write_charts(data, tmp_path / "a", ["svg"])]
    second = [path.read_text() for path in write_charts(data, tmp_path / "b", ["svg"])]
    assert first == second


def test_no_method_no_chart(tmp_path):
    assert write_charts(synthetic(4, {}), tmp_path) == []


def test_an_unknown_format_is_refused_before_anything_is_written(tmp_path):
    with pytest.raises(InputError, match=r"'pdf' is no chart format \(expected png or svg\)"):
        write_charts(synthetic(4), tmp_path / "charts", ["svg", "pdf"])
    assert not (tmp_path / "charts").exists()
