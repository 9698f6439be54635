"""What is said beside a picture is true of it."""

from __future__ import annotations

from dataclasses import replace

from fewest.summary import Redundancy

from .comparisons import summary, with_table
from .test_sections import figure_of, text_of, words_of


def test_densities_say_where_their_axes_end():
    figure = figure_of(summary(), "How do the classes lie in the top features?")
    table = summary().tables[0]
    first = table.views.densities[0]
    assert "scale" in figure
    assert len(first.grid) > 20


def test_a_cut_axis_is_marked_and_said():
    views = summary().tables[0].views
    views = replace(views, densities=[replace(views.densities[0], is_cut=True)])
    figure = figure_of(with_table(summary(), views=views), "How do the classes lie in the top features?")
    assert "‹ " in figure
    assert "at most 1" in figure


def test_the_pair_is_said_to_be_the_best_by_what_and_of_how_many():
    pair = summary().tables[0].views.pair
    figure = figure_of(summary(), "Which two of them separate the classes best?")
    assert f"the least of every two of {pair.n_features} recommended features with numbers" in figure


def test_chance_beyond_the_picture_is_said():
    text = text_of(with_table(summary(), chance_error=0.99), "size")
    assert "The level of guessing, 99 %, lies above the picture." in text
    assert "lies above" not in text_of(with_table(summary(), chance_error=0.3), "size")


def test_ranks_are_not_drawn_as_scores():
    best = summary().tables[0].recommended
    features = [replace(feature, score=None) for feature in best.features]
    words = words_of(with_table(summary(), recommended=replace(best, features=features)), "features")
    assert "Score" not in words


def test_sizes_are_said_to_be_those_of_most_splits():
    (table,) = summary().tables
    best = table.recommended

    def with_sizes(method):
        result = replace(method.results[best.classifier], size=8, size_low=7, size_high=9)
        return replace(method, results={**method.results, best.classifier: result})

    found = text_of(with_table(summary(), methods=[with_sizes(method) for method in table.methods]), "size")
    assert f"The ring marks {best.method} with 9 features; in most splits it chose 7 to 9." in found


def test_stability_says_at_which_size_it_is():
    assert "Each method has the size that is chosen on all rows." in text_of(summary(), "trust")


def test_features_beyond_those_that_are_compared_are_said():
    pictures = replace(summary().tables[0].views, redundancy=Redundancy(["a", "b"], [[1, 0.5], [0.5, 1]], "V"))
    question = "Do the chosen features say the same?"
    figure = figure_of(with_table(summary(), views=pictures), question)
    assert "V of every two of the first 2, 0 to 1" in figure.replace("\N{NO-BREAK SPACE}", " ")
    best = replace(summary().tables[0].recommended, size=2)
    whole = figure_of(with_table(summary(), views=pictures, recommended=best), question)
    assert "V of every two, 0 to 1" in whole.replace("\N{NO-BREAK SPACE}", " ")


def test_a_map_of_splits_that_is_cut_says_so():
    choices = summary().tables[0].split_choices
    many = replace(choices, features=[f"g{i}" for i in range(21)], cells=[choices.cells[0]] * 21)
    cut = figure_of(with_table(summary(), split_choices=many), "Which features were chosen in each split?")
    assert "The 20 chosen most often." in cut
    whole = replace(many, features=many.features[:20], cells=many.cells[:20])
    whole = figure_of(with_table(summary(), split_choices=whole), "Which features were chosen in each split?")
    assert "chosen most often." not in whole
