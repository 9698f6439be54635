"""What is proved, in words and numbers, on the page."""

from __future__ import annotations

from dataclasses import replace
from html import escape

from fewest.report.page import render
from fewest.summary.certificates import Certificate

from .comparisons import HOSTILE, summary, with_table


def test_the_page_has_the_words_the_problem_and_the_numbers_of_every_method():
    content = render(summary())
    section = content[content.index("What is proved?") :]
    methods = {method.name: method.certificate for method in summary().tables[0].methods}
    assert methods["mrmr"].status == "no-objective"
    assert methods["fisher-markov"].status == "optimal"
    for certificate in methods.values():
        assert escape(certificate.words) in section
        if certificate.numbers:
            assert f"Problem: {escape(certificate.problem)}. Bound {escape(certificate.numbers)}." in section
    assert "by ranking of an additive objective: value " in section


def test_a_certificate_brings_no_markup():
    hostile = Certificate("optimal", HOSTILE, HOSTILE, HOSTILE, 1.0, 1.0, 0.0, 1e-9)
    best = summary().tables[0].recommended
    content = render(with_table(summary(), recommended=replace(best, certificate=hostile)))
    assert HOSTILE not in content
    assert escape(HOSTILE) in content[content.index("What is proved?") :]
