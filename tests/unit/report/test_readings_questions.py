from __future__ import annotations

import pytest

from tests.support.effects import (
    NOTHING,
    UNDEFINED,
    change,
    found,
    supplied_effects,
    supplied_row,
)
from turnsure.core.question_controls import ALL_SOURCES, Flip, ProtocolEffects, VariantRow
from turnsure.report.readings_questions import (
    flip_sentences,
    flips_headline,
    judged_sources,
    protocol_sentences,
    sources,
    supplied_sentence,
    supplied_sentences,
)


@pytest.mark.parametrize(
    ("verdict", "row", "said"),
    [
        (
            "passed",
            supplied_row(change(0.12, 0.08, 0.16)),
            "gives the gold answer 12.0 points [8.0, 16.0] more than wrong ones: it tells them "
            "apart.",
        ),
        (
            "failed",
            supplied_row(change(-0.12, -0.16, -0.08)),
            "gives wrong answers 12.0 points [8.0, 16.0] more than the gold one: it prefers what "
            "is wrong.",
        ),
        (
            "failed",
            supplied_row(change(-0.04, -0.06, -0.02)),
            "gives wrong answers 4.0 points [2.0, 6.0] more than the gold one: it prefers what is "
            "wrong.",
        ),
        (
            "failed",
            supplied_row(change(0.01, -0.01, 0.03)),
            "gives wrong answers nearly the confidence of the gold one: they differ by less than "
            "5.0 points [−1.0, 3.0].",
        ),
        (
            "failed",
            supplied_row(change(-0.003, -0.006, -0.0004)),
            "gives wrong answers nearly the confidence of the gold one: they differ by less than "
            "5.0 points [−0.6, 0.0].",
        ),
        (
            "failed",
            supplied_row(change(0.02, 0.01, 0.03)),
            "gives wrong answers nearly the confidence of the gold one: they differ by less than "
            "5.0 points [1.0, 3.0].",
        ),
        *(
            (
                "open",
                supplied_row(gap),
                "may or may not tell the gold answer from wrong ones: this cannot be told from "
                f"these data (n = 3 turns of {gap.change.n_dialogues} dialogues).",
            )
            for gap in (
                change(0.1, -0.01, 0.2, n_turns=3),
                change(-0.1, -0.2, 0.0, n_turns=3),
                change(0.12, 0.08, 0.16, n_turns=3, p_holm=0.2),
                change(-0.12, -0.16, -0.08, n_turns=3, p_holm=0.2),
                change(0.01, -0.01, 0.03, n_turns=3, n_dialogues=5),
            )
        ),
        ("open", supplied_row(UNDEFINED), "allows no comparison: no turn has both values."),
    ],
)
def test_what_is_said_of_wrong_answers(verdict, row, said):
    sentence = supplied_sentence(row, tolerance=0.05)
    assert row.verdict == verdict
    assert sentence.whole == f"P(True) (eliminated) {said}"
    assert sentence.decided == (row.verdict != "open")


@pytest.mark.parametrize(
    ("gap", "said", "decided"),
    [
        (
            change(0.12, 0.08, 0.16),
            "gives the gold answer 12.0 points [8.0, 16.0] more than candidates that still fit the "
            "hints.",
            True,
        ),
        (
            change(0.03, 0.015, 0.045),
            "gives the gold answer 3.0 points [1.5, 4.5] more than candidates that still fit the "
            "hints.",
            True,
        ),
        (
            change(-0.12, -0.16, -0.08),
            "gives the gold answer 12.0 points [8.0, 16.0] less than candidates that still fit the "
            "hints.",
            True,
        ),
        (
            change(0.01, -0.01, 0.03, p=0.4),
            "gives the gold answer nearly the confidence of candidates that still fit the hints: "
            "they differ by less than 5.0 points [−1.0, 3.0].",
            True,
        ),
        (
            change(0.12, 0.08, 0.16, n_dialogues=5),
            "may or may not set the gold answer apart from candidates that still fit the hints: "
            "this cannot be told from these data (n = 40 turns of 5 dialogues).",
            False,
        ),
        (UNDEFINED, "allows no comparison: no turn has both values.", False),
    ],
)
def test_what_still_fits_is_described_and_not_judged(gap, said, decided):
    row = supplied_row(gap, "remaining")
    sentence = supplied_sentence(row, tolerance=0.05)
    assert row.verdict is None
    assert sentence.whole == f"P(True) (remaining) {said}"
    assert sentence.decided == decided


def test_sources_come_in_the_order_of_the_run_after_all_together():
    gap = change(0.1, -0.01, 0.2)
    effects = supplied_effects(
        *(
            supplied_row(gap, source)
            for source in ("eliminated", "remaining", ALL_SOURCES, "samples")
        )
    )
    assert sources(effects) == (ALL_SOURCES, "samples", "remaining", "eliminated")
    assert judged_sources(effects) == (ALL_SOURCES, "samples", "eliminated")
    asides = [one.aside for one in supplied_sentences(effects)]
    assert asides == ["all judged sources", "samples", "remaining", "eliminated"]
    assert sources(supplied_effects()) == judged_sources(supplied_effects()) == ()


def flip(metric="info_ece", *, beyond_chance, better="a", worse="b", variant="swapped", n_turns=40):
    return Flip(
        metric=metric,
        variant=variant,
        better=better,
        worse=worse,
        beyond_chance=beyond_chance,
        n_turns=n_turns,
    )


def effects(*flips, rows=(), n_pairs=30):
    return ProtocolEffects(
        protocols={"swapped": "f00d"}, left_out={}, rows=tuple(rows), flips=flips, n_pairs=n_pairs
    )


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (
            effects(flip(beyond_chance=True), flip(beyond_chance=False)),
            "Two methods change places in 2 of 30 comparisons (pairs of methods, by metric and "
            "variant), beyond chance in 1.",
        ),
        (
            effects(n_pairs=1),
            "Two methods change places in 0 of 1 comparison (pairs of methods, by metric and "
            "variant), beyond chance in 0.",
        ),
        (effects(n_pairs=0), "There is no pair of methods whose order could change."),
    ],
)
def test_how_many_change_places(found, said):
    assert flips_headline(found) == said


def test_only_flips_beyond_chance_say_which_is_better():
    said = flip_sentences(
        [
            flip(beyond_chance=False),
            flip(beyond_chance=True, metric="auroc"),
            flip(beyond_chance=False, better="c", n_turns=38),
            flip(beyond_chance=False, metric="kendall_tau"),
        ]
    )
    assert [one.whole for one in said] == [
        "a (swapped) is better than b in AUROC under the run's own protocol and worse under this "
        "variant, both beyond chance.",
        "swapped (InfoECE) lets a and b; c and b change places, but which is better under both "
        "protocols cannot be told from these data (38 to 40 turns).",
        "swapped (τ) lets a and b change places, but which is better under both protocols cannot "
        "be told from these data (40 turns).",
    ]
    assert [one.decided for one in said] == [True, False, False]


def test_differences_are_told_where_clear_and_counted_where_not():
    rows = [
        VariantRow(
            variant="swapped",
            method="a",
            differences={
                "info_ece": found(-0.05, -0.08, -0.02, direction="lower"),
                "kendall_tau": found(0.01, -0.1, 0.1, n_turns=38),
                "auroc": found(-0.12, -0.2, -0.05, direction="higher"),
            },
        ),
        VariantRow(
            variant="swapped",
            method="b",
            differences={"info_ece": found(0.1, 0.05, 0.2, n_dialogues=5), "auroc": NOTHING},
        ),
    ]
    said = protocol_sentences(
        effects(flip(beyond_chance=False), flip(beyond_chance=True), rows=rows)
    )
    assert [one.whole.split(" lets ")[0] for one in said] == [
        "a (swapped) is better than b in InfoECE under the run's own protocol and worse under this "
        "variant, both beyond chance.",
        "a (swapped) is 5.0 points [2.0, 8.0] lower in InfoECE (better) than under the run's own "
        "protocol.",
        "a (swapped) is .120 [.050, .200] lower in AUROC (worse) than under the run's own "
        "protocol.",
        "swapped (InfoECE)",
        "2 of 5 differences may be none: whether the variant moves the value cannot be told from "
        "these data (n = 38 to 40 turns of 5 to 12 dialogues).",
        "1 of 5 differences is not defined; point at a dash for the reason.",
    ]
    assert [one.decided for one in said] == [True, True, True, False, False, False]
    two = VariantRow(variant="x", method="b", differences={"auroc": NOTHING, "info_ece": NOTHING})
    assert protocol_sentences(effects(rows=[two]))[0].text.startswith("are not defined")
    assert protocol_sentences(effects()) == ()
