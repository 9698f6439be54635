"""fewest select: what it prints, and one line with exit code 1 for whatever cannot be used."""

from __future__ import annotations

import math
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from fewest.cli.select import _score_texts

from ..data.bad_files import BAD_FILES, GOOD_CSV
from .running import refused, run

FISHER = ("--method", "fisher-markov")


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(GOOD_CSV)
    return str(path)


def as_arguments(options):
    names = {"target": "--target", "weight": "--weight", "encoding": "--encoding"}
    arguments = [part for key, value in options.items() if key in names for part in (names[key], value)]
    return [*arguments, *(["--drop-unlabelled"] if options.get("drop_unlabelled") else [])]


@pytest.mark.parametrize("name", BAD_FILES)
def test_a_bad_file_is_one_line_and_exit_code_1(name, tmp_path, capsys):
    bad = BAD_FILES[name]
    assert run("select", bad.make(tmp_path), *as_arguments(bad.options), *FISHER) == 1
    line = refused(capsys)
    assert re.search(bad.says, line)
    assert line.isprintable()


SIZE = "n_features must be a whole number of at least 1, a share between 0 and 1, 'auto' or None, got "


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--features", "0"], SIZE + "0 instead."),
        (["--features", "-1"], SIZE + "-1 instead."),
        (["--features", "2.5"], SIZE + "2.5 instead."),
        (["--features", "ten"], SIZE + "'ten' instead."),
        (["--features", "1e999"], SIZE + "inf instead."),
        (["--features", "[1, 2]"], SIZE + "[1, 2] instead."),
        (["--features", ""], SIZE + "'' instead."),
        (["--features", "2", "--set", "beta=0.5"], "Give beta or n_features, not both (n_features=2)"),
        (["--set", "beta=much"], "beta must be a finite number, 'null' or None, got 'much' instead."),
        (["--set", "beta"], "A parameter is set by NAME=VALUE, got 'beta' instead."),
        (["--set", "=3"], "fisher-markov has no parameter ''. It has: at_most, beta, "),
        (["--set", "gama=1"], "fisher-markov has no parameter 'gama' (did you mean 'gamma'?). It has: at_most, beta, "),
        (["--set", "estimator=swm"], "There is no classifier 'swm' (did you mean 'svm'?). There are svm, svm-ovo, "),
        (["--set", "cv=1"], "cv must be a whole number of at least 2, got 1 instead."),
        (["--method", "fisher_markow"], "There is no method 'fisher_markow' (did you mean 'fisher-markov'?)."),
        (["--method", "FisherScor"], "There is no method 'FisherScor' (did you mean 'fisher-score'?)."),
        (["--method", "zzz"], "There is no method 'zzz'. See `fewest methods`."),
        (["--method", ""], "There is no method ''. See `fewest methods`."),
    ],
    ids=str,
)
def test_a_bad_option_is_one_line_and_exit_code_1_before_the_data_are_read(arguments, says, capsys):
    assert run("select", "nowhere.csv", "--target", "class", *FISHER, *arguments) == 1
    assert says in refused(capsys)


def test_more_features_than_there_are_is_noted_and_all_are_kept(table, capsys):
    assert run("select", table, "--target", "class", "--features", "9") == 0
    out, err = capsys.readouterr()
    assert "keeps 2 of 2 features" in out
    assert err == "note: n_features=9 is more than the 2 columns there are; all are taken.\n"


@pytest.mark.parametrize("features", ["3", "auto"])
def test_a_column_without_any_value_is_noted_once_and_comes_last(features, tmp_path, capsys):
    (tmp_path / "t.csv").write_text("a,empty,b,class\n" + "1,,5,u\n2,,7,v\n1,,4,u\n3,,9,v\n" * 5)
    assert (
        run("select", str(tmp_path / "t.csv"), "--target", "class", "--features", features, "--no-check", *FISHER) == 0
    )
    out, err = capsys.readouterr()
    assert err == ""
    note = "note: 1 column(s) hold no value at all and are ranked last: 'empty'"
    assert out.splitlines().count(note) == 1
    if features == "3":
        assert [line.split()[1] for line in out.splitlines() if re.match(r" +\d+  ", line)] == ["b", "a", "empty"]


def test_it_says_what_was_read_kept_and_proved(table, capsys):
    assert run("select", table, "--target", "class", "--features", "1", *FISHER) == 0
    out, err = capsys.readouterr()
    assert err == ""
    lines = out.splitlines()
    assert lines[0] == "t.csv: 4 rows, 2 features, 2 classes (2/2)"
    assert re.fullmatch(r"fisher-markov keeps 1 of 2 features \([<\d. ]+ m?s\)", lines[1])
    assert lines[3].split() == ["#", "feature", "score"]
    assert lines[4].split()[:2] == ["1", "b"]
    assert lines[6].startswith("proved optimal")


def test_the_size_is_cross_validated_unless_something_else_decides(capsys):
    assert run("select", "wine") == 0
    assert "chosen by 5-fold cross-validation" in capsys.readouterr().out
    for arguments in (["--features", "3"], ["--features", "0.25"], ["--set", "n_features=3"], ["--set", "beta=0.6"]):
        assert run("select", "wine", *FISHER, *arguments) == 0
        out = capsys.readouterr().out
        assert "cross-validation" not in out
        assert "of 13 features" in out


def test_parameters_are_python_literals_or_text(capsys):
    arguments = ["--set", "scale=None", "--set", "gamma=-0.5", "--set", "verbose=True", "--features", "2"]
    assert run("select", "wine", *FISHER, *arguments) == 0
    assert run("select", "wine", "--set", "scale=range", "--set", "rule=min", "--set", "max_features=3") == 0
    assert run("select", "wine", "--method", "fisher-score", "--set", "cv=3") == 0
    assert "chosen by 3-fold" in capsys.readouterr().out


def test_rows_may_be_weighted_and_those_without_a_class_left_out(tmp_path, capsys):
    (tmp_path / "t.csv").write_text("a,b,w,class\n1,5,1,u\n2,7,2,v\n3,4,0,u\n4,9,1,v\n2,6,1,\n1,4,1,u\n")
    arguments = ["select", str(tmp_path / "t.csv"), "--target", "class", "--weight", "w", "--features", "2"]
    assert run(*arguments) == 1
    assert "--drop-unlabelled" in refused(capsys)
    assert run(*arguments, "--drop-unlabelled") == 0
    assert "t.csv: 4 rows, 2 features, 2 classes (2/2)" in capsys.readouterr().out


def test_several_files_are_one_table(tmp_path, capsys):
    frame = pd.DataFrame({"a": range(8), "b": [1.0, 2.0] * 4, "class": list("uvuvuvuv")})
    for number in range(2):
        frame[4 * number : 4 * number + 4].to_parquet(tmp_path / f"p{number}.parquet")
    names = [str(tmp_path / f"p{number}.parquet") for number in range(2)]
    for data in (names, [str(tmp_path / "*.parquet")], [str(tmp_path)]):
        assert run("select", *data, "--target", "class", "--features", "1") == 0
        assert "8 rows, 2 features, 2 classes (4/4)" in capsys.readouterr().out
    (tmp_path / "t.csv").write_text(GOOD_CSV)
    assert run("select", names[0], str(tmp_path / "t.csv"), "--target", "class") == 1
    assert re.search(r"Only Parquet files can be read together, and .*t\.csv is none", refused(capsys))


UNSAFE = "bell\a, tab\t, \x1b[31mred, back\b, \u202eturned, line\nbreak"


@pytest.mark.skipif(sys.platform == "win32", reason="no file may have such a name")
def test_names_and_files_cannot_steer_the_terminal(tmp_path, capsys):
    frame = pd.DataFrame({UNSAFE: [1.0, 2.0, 1.0, 2.0], "b": [1.0, 1.0, 2.0, 2.0], "class": list("uvuv")})
    path = tmp_path / "odd\x1b[2Jname.parquet"
    frame.to_parquet(path)
    assert run("select", str(path), "--target", "class", "--features", "2") == 0
    out = capsys.readouterr().out
    assert all(character.isprintable() for character in out.replace("\n", ""))
    assert "bell�, tab�, �[31mred" in out
    assert out.startswith("odd�[2Jname.parquet: 4 rows")
    assert sum("bell" in line for line in out.splitlines()) == 1
    assert run("select", str(path), "--target", "\x1b[31m") == 1
    assert refused(capsys).isprintable()


def test_an_unsafe_name_is_safe_in_notes_too(tmp_path, capsys):
    pd.DataFrame({UNSAFE: [np.nan] * 4, "b": [1.0, 1.0, 2.0, 2.0], "class": list("uvuv")}).to_parquet(
        tmp_path / "t.parquet"
    )
    options = ("--target", "class", "--features", "1")
    assert run("select", str(tmp_path / "t.parquet"), *options, "--no-check") == 0
    out = capsys.readouterr().out
    assert "note: 1 column(s) hold no value at all" in out
    assert all(character.isprintable() for character in out.replace("\n", ""))
    assert run("select", str(tmp_path / "t.parquet"), *options) == 0
    err = capsys.readouterr().err
    assert "has no value at all. Set aside" in err
    assert all(character.isprintable() for character in err.replace("\n", ""))


def test_long_names_and_long_lists_are_cut(tmp_path, capsys):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(20, 40)), columns=[f"{'long ' * 40}{j}" for j in range(40)])
    frame.assign(**{"class": np.repeat(["u", "v"], 10)}).to_csv(tmp_path / "t.csv", index=False)
    assert run("select", str(tmp_path / "t.csv"), "--target", "class", "--features", "40") == 0
    out = capsys.readouterr().out
    assert "… and 10 more (--json writes them all)" in out
    assert max(map(len, out.splitlines())) < 200


def test_infinite_scores_are_printed(tmp_path, capsys):
    (tmp_path / "t.csv").write_text("a,b,class\n1,5,u\n1,7,u\n2,4,v\n2,9,v\n")
    assert (
        run("select", str(tmp_path / "t.csv"), "--target", "class", "--features", "2", "--method", "fisher-score") == 0
    )
    out = capsys.readouterr().out
    assert re.search(r"1  a +inf  █{20}$", out, re.MULTILINE)
    # Beside it no finite score has a length.
    assert re.search(r"2  b +[\d.]+$", out, re.MULTILINE)


def test_scores_have_the_same_decimals_unless_small_ones_would_be_hidden():
    assert _score_texts([0.4035, 0.168, 0.1]) == ["0.4035", "0.1680", "0.1000"]
    assert _score_texts([0.4035, 0.0002]) == ["0.4035", "2 × 10⁻⁴"]
    assert _score_texts([math.inf, 2.5, math.nan, -0.25]) == ["inf", "2.500", "–", "−0.250"]


def test_a_terminal_without_the_characters_gets_others_in_their_place():
    done = subprocess.run(
        [sys.executable, "-c", "from fewest.cli import main; main()", "select", "iris", "--features", "2"],
        capture_output=True,
        timeout=60,
        env={"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"},
    )
    assert done.returncode == 0, done.stderr
    assert b"auto keeps 2 of 4 features" in done.stdout


def test_the_installed_command_exits_with_1_and_one_line(tmp_path):
    command = shutil.which("fewest", path=str(Path(sys.executable).parent))
    assert command is not None
    arguments = [command, "select", str(tmp_path / "no.csv")]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"fewest: There is no file {str(tmp_path / 'no.csv')!r}. Check the path.\n"


def test_degree_two_prints_the_path_and_what_is_proved(capsys):
    assert run("select", "breast-cancer", *FISHER, "--set", "degree=2", "--features", "22", "--quiet") == 0
    out = capsys.readouterr().out
    start = out.index("as beta falls, the best subset grows:")
    path = out[start:].splitlines()
    assert path[1].split() == ["beta", "features"]
    steps = [line.split() for line in path[2 : path.index("")] if "…" not in line]
    assert steps[0] == ["0.3786", "20"]
    assert steps[-1][1] == "30"
    assert [step for step in steps if step[-1] == "chosen"] == [["0.328", "22", "◀", "chosen"]]
    betas = [float(step[0]) for step in steps]
    assert betas == sorted(betas, reverse=True)
    assert "proved optimal: no other 22 features have a larger total" in out
    assert "; the next feature enters at beta = 0.315" in out


def test_a_price_is_proved_for_that_price(capsys):
    assert run("select", "breast-cancer", *FISHER, "--set", "degree=2", "--set", "beta=0.3", "--quiet") == 0
    out = capsys.readouterr().out
    assert "fisher-markov keeps 26 of 30 features" in out
    assert "proved optimal for beta = 0.3: no subset of any size has a larger value" in out


def test_between_two_steps_of_the_path_a_bound_is_printed(capsys):
    assert run("select", "wine", *FISHER, "--set", "degree=3", "--features", "4", "--quiet") == 0
    out = capsys.readouterr().out
    assert re.search(r"within \d\.\d % of the best possible 4 features \(reached 1\.58\d*, no more than", out)
    assert "the best subset grows from 0 to 10 at once" in out
    assert "chosen" not in out


def test_a_long_path_is_shown_at_its_ends_and_about_the_choice(capsys, tmp_path):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    X = rng.normal(size=(200, 120)) + y[:, None] * np.linspace(0, 3, 120)
    np.savez(tmp_path / "wide.npz", X=X, y=y)
    arguments = ["--set", "degree=2", "--set", "pair_weight=0.001", "--features", "40", "--quiet"]
    assert run("select", str(tmp_path / "wide.npz"), *FISHER, *arguments) == 0
    out = capsys.readouterr().out
    path = out[out.index("as beta falls") :].split("\n\n")[0].splitlines()
    assert len(path) < 20
    sizes = [line.split()[1] for line in path[2:] if "…" not in line]
    assert sizes[-1] == "120"
    assert {"40", "41"} <= set(sizes)


def test_text_numbers_and_gaps_need_no_options(tmp_path, capsys):
    rng = np.random.default_rng(0)
    y = rng.choice(["yes", "no"], 200)
    town = np.where(rng.random(200) < 0.8, np.where(y == "yes", "Rome", "Oslo"), "Bern").astype(object)
    town[::17] = None
    frame = pd.DataFrame({"id": [f"row{i % 90}" for i in range(200)], "town": town, "heat": rng.normal(size=200)})
    frame.loc[5:9, "heat"] = np.nan
    frame.assign(answer=y).to_csv(tmp_path / "t.csv", index=False)
    out_file = tmp_path / "chosen.csv"
    assert run("select", str(tmp_path / "t.csv"), "--target", "answer", "--features", "1", "-o", str(out_file)) == 0
    out = capsys.readouterr().out
    assert "auto keeps 1 of 2 features" in out  # the id is set aside
    assert "no objective to prove" in out
    back = pd.read_csv(out_file)
    assert list(back.columns)[-1] == "answer"


def test_chosen_text_is_written_as_it_was(tmp_path, capsys):
    y = ["u", "v"] * 20
    town = [None, "Bern", "Rome", "Bern"] * 10
    frame = pd.DataFrame({"town": town, "size": np.arange(40.0), "answer": y})
    frame.to_parquet(tmp_path / "t.parquet")
    for name, read in (("o.csv", pd.read_csv), ("o.parquet", pd.read_parquet)):
        arguments = ["--target", "answer", "--features", "2", "-o", str(tmp_path / name)]
        assert run("select", str(tmp_path / "t.parquet"), *arguments) == 0
        back = read(tmp_path / name)
        assert [None if pd.isna(name) else name for name in back["town"]] == town
        assert back["answer"].tolist() == y


@pytest.mark.parametrize(
    ("method", "says"), [("wrapper", "note: error"), ("two-stage", "note: second stage (wrapper)")]
)
def test_wrappers_stop_by_themselves_and_say_that_their_error_is_too_low(method, says, capsys):
    assert run("select", "iris", "--method", method) == 0
    out = capsys.readouterr().out
    assert says in out
    assert "expect more on new rows" in out
    assert "nothing is proved: the search reached 0.0" in out


def test_groups_stay_together_in_the_folds_and_are_no_feature(tmp_path, capsys):
    rng = np.random.default_rng(0)
    patient = np.repeat(np.arange(20), 9)
    values = rng.normal(size=(20, 4))[patient] + 0.02 * rng.normal(size=(180, 4))
    frame = pd.DataFrame(values).add_prefix("x").assign(patient=[f"p{n}" for n in patient], label=(patient % 2))
    frame.to_csv(tmp_path / "visits.csv", index=False)
    arguments = ("select", str(tmp_path / "visits.csv"), "--target", "label", "--method", "fisher-score")
    errors = []
    for role in ("--drop", "--groups"):
        assert run(*arguments, "--set", "rule=min", role, "patient") == 0
        out = capsys.readouterr().out
        assert "4 features" in out
        errors.append(float(re.search(r"([0-9.]+) % error", out)[1]))
    # Rows of a patient are recognised by the others where folds divide them.
    assert errors[0] < 10 < 30 < errors[1]


def test_a_metric_chooses_the_size(tmp_path, capsys):
    assert run("select", "wine", "--metric", "macro-f1", "--method", "fisher-score") == 0
    assert "macro F1" in capsys.readouterr().out
    assert run("select", "wine", "--metric", "makro-f1", "--method", "fisher-score") == 1
    assert "There is no metric 'makro-f1' (did you mean 'macro-f1'?)" in refused(capsys)


def test_a_sample_of_the_rows(tmp_path, capsys):
    rng = np.random.default_rng(0)
    y = rng.choice(["on", "off"], 800)
    frame = pd.DataFrame(rng.normal(size=(800, 5))).add_prefix("x").assign(state=y)
    frame["x3"] += 2 * (y == "on")
    frame.to_csv(tmp_path / "t.csv", index=False)
    arguments = ("select", str(tmp_path / "t.csv"), "--target", "state", "--method", "relieff", "--features", "1")
    assert run(*arguments, "--sample", "100") == 0
    out = capsys.readouterr().out
    assert "800 rows, 5 features" in out
    assert "x3" in out
    assert "note: by a sample of 100 of 800 rows, every class in proportion" in out
    assert "have a standard error of about 0.0" in out

    def answer(out):
        return re.sub(r"\(.* m?s\)", "", out)

    assert run(*arguments, "--set", "sample=100") == 0
    assert answer(capsys.readouterr().out) == answer(out)
    for sample, says in {
        "3": "sample must be a whole number of at least 4 or None, got 3 instead.",
        "few": "sample must be a whole number of at least 4 or None, got 'few' instead.",
    }.items():
        assert run(*arguments, "--sample", sample) == 1
        assert says in refused(capsys)
    assert run("select", "wine", "--method", "fisher-score", "--sample", "100") == 1
    line = refused(capsys)
    assert "fisher-score has no parameter 'sample'" in line
    assert "'sample' is a parameter of auto, " in line


def test_a_fit_that_takes_minutes_is_announced_once_and_before_the_answer(table, capsys, monkeypatch):
    monkeypatch.setattr("fewest.methods.relief.selectors._WORTH_A_NOTE", 0.0)
    assert run("select", table, "--method", "relief", "--target", "class", "--features", "1") == 0
    said = capsys.readouterr().err
    assert said.count("n_queries=5000") == 1


def test_probes_joined_classes_and_a_classifier_by_name(tmp_path, capsys):
    page = tmp_path / "r.html"
    options = ("--merge", "low=class_0+class_1", "--probes", "5", "--set", "estimator=nb", "--report", str(page))
    assert run("select", "wine", "--method", "fisher-score", *options, "-q") == 0
    out = capsys.readouterr().out
    assert "wine: 178 rows, 18 features, 2 classes (48/130)" in out
    assert "times, of nb: " in out
    assert "0 of 5 probes are among the" in out
    assert "Do the true columns come first?" in page.read_text("utf-8")
    assert run("select", "wine", "--method", "fisher-score", "--features", "16", "--probes", "5", "-q") == 0
    assert "3 of 5 probes are among the 16 features: probe" in capsys.readouterr().out
    assert run("select", "wine", "--set", "estimator=nbb") == 1
    assert "There is no classifier 'nbb' (did you mean 'nb'?)" in capsys.readouterr().err
