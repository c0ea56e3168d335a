from __future__ import annotations

from xml.etree import ElementTree

import pytest
from PIL import Image

from tests.support.controlled import controlled, hostile_controls, unpaired, usual
from tests.support.synthetic import Style, hostile, synthetic
from turnsure.core.errors import InputError
from turnsure.report.export import write_charts

NAMES = {"confidence_by_level", "reliability", "kendall_tau", "score_distribution", "trajectories"}


CONTROLS = {
    "placebo_answer",
    "placebo_gold",
    "joined_confidence",
    "joined_info_ece",
    "summary_confidence",
    "summary_info_ece",
    "supplied_gap",
    "protocols_info_ece",
    "protocols_kendall_tau",
    "protocols_auroc",
}


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


@pytest.mark.parametrize(
    ("data", "names"),
    [
        (usual, NAMES | CONTROLS),
        (hostile_controls, NAMES | CONTROLS - {"protocols_auroc"}),
        (unpaired, NAMES | {"joined_confidence", "summary_confidence"}),
    ],
)
def test_charts_of_controls_are_written_as_far_as_they_have_values(tmp_path, data, names):
    written = write_charts(data(), tmp_path, ["svg"])
    assert {path.stem for path in written} == names
    for path in written:
        found = {node.tag.rsplit("}")[-1] for node in ElementTree.parse(path).iter()}
        assert not found & {"a", "script", "image"}


def test_a_chart_of_a_control_is_a_picture_with_its_key(tmp_path):
    data = controlled(6, {"fine": Style()}, controls=["placebo"], resamples=20)
    write_charts(data, tmp_path)
    with Image.open(tmp_path / "placebo_answer.png") as image:
        colours = {rgb for _, rgb in image.convert("RGB").getcolors(image.width * image.height)}
    assert {(0, 114, 178), (213, 94, 0)} <= colours
    drawing = (tmp_path / "placebo_answer.svg").read_text()
    assert "after the real hint" in drawing
    assert "after a placebo" in drawing


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
