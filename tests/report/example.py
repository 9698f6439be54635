"""Invented summaries of comparisons: the same for the same arguments, with names that would break a careless page."""

from __future__ import annotations

import math

import numpy as np

HOSTILE = "<img src=x onerror=alert(1)>"
METHODS = ("mrmr", "relieff", "fisher-markov", "kernel-separability", "svm-rfe")
CLASSIFIERS = {"svm": "linear SVM", "knn": "nearest neighbours", "nb": "naive Bayes"}
STRANGE_NAMES = (
    HOSTILE,
    "</script><script>alert(2)</script>",
    "a \"quoted\" & 'named' gene",
    "x\u2028y",
    "基因表达",
    "\u202eabc",
)


def summary(
    n_tables=1,
    n_classes=2,
    n_columns=2000,
    *,
    methods=METHODS,
    classifiers=CLASSIFIERS,
    has_failed=False,
    has_truth=False,
    is_partial=False,
    seed=0,
):
    """A summary of everything; `tables[i]` differ."""
    rng = np.random.default_rng(seed)
    names = ["colon", "leukemia", "wine", "digits <b>8x8</b>", "spam", "lung"]
    tables = [
        table(rng, names[i % len(names)], n_classes, n_columns, methods, classifiers, has_failed=has_failed)
        for i in range(n_tables)
    ]
    for found in tables if has_truth else ():
        for place, each in enumerate(found["methods"]):
            each["truth"] = truth(place)
    return {
        "title": "colon" if n_tables == 1 else "Gene expression & others",
        "made": {
            "version": "0.1.0",
            "command": "fewest compare colon.npz --methods mrmr,relieff,fisher-markov --report report.html",
            "seconds": 93.1,
            "seed": 0,
            "outer": "20 random splits of each class, 3/4 to train and 1/4 to test",
            "inner": "5-fold cross-validation",
            "rule": "1se",
            "classifiers": dict(classifiers),
        },
        "is_partial": "12 of 20 splits were done when it was stopped" if is_partial else None,
        "tables": tables,
        "across": across(rng, methods) if n_tables > 1 else None,
    }


def table(rng, name, n_classes, n_columns, methods, classifiers, *, has_failed):
    chance = 0.355 if n_classes == 2 else 1 - 1 / n_classes
    class_names = ["normal", "tumour"] if n_classes == 2 else [f"digit {i}" for i in range(n_classes)]
    class_names[-1] = class_names[-1] if n_classes > 2 else "tumour <i>"
    features = feature_names(n_columns)
    chosen = [features[i] for i in range(min(9, n_columns))]
    sizes = [size for size in (1, 2, 3, 5, 7, 10, 15, 20, 30, 50) if size <= n_columns]
    rows = [method(rng, place, each, chance, sizes, features, classifiers) for place, each in enumerate(methods)]
    if has_failed:
        failed = "it needs a class of at least 2 rows in every training part <b>and</b> there is none"
        rows.append({**rows[0], "name": "max-dependency", "failed": failed, "results": {}, "curves": {}})
    best = rows[0]["results"]["svm"]
    points = [[round(float(x), 3), round(float(y), 3), code] for code, x, y in _cloud(rng, n_classes)]
    return {
        "name": name,
        "n_rows": 62,
        "n_columns": n_columns,
        "classes": [{"name": each, "count": 22 + 9 * (i % 3)} for i, each in enumerate(class_names)],
        "fingerprint": "7e62c5d0a1b94f3380aa6b1de0c2f9d47e62c5d0a1b94f33",
        "chance_error": chance,
        "all_features": {
            key: {"error": 0.16 + 0.02 * i, "low": 0.1, "high": 0.24} for i, key in enumerate(classifiers)
        },
        "sizes": sizes,
        "methods": rows,
        "recommended": {
            "method": methods[0],
            "classifier": "svm",
            "size": 9,
            "error": best["error"],
            "low": best["low"],
            "high": best["high"],
            "sentence": f"9 of {n_columns:,} features tell the {n_classes} classes apart with 11 % error "
            f"(95 % interval 6–18 %); all {n_columns:,} give 16 %.",
            "certificate": "nothing is proved: the search reached 0.412, and other features may do better",
            "features": [
                {
                    "name": each,
                    "score": round(0.42 / (1 + 0.35 * i), 4),
                    "frequency": max(0.05, round(1 - 0.09 * i, 2)),
                    "substitute": features[(i + 40) % n_columns] if i % 3 else None,
                }
                for i, each in enumerate(chosen)
            ],
            "warning": "Rows 14 and 31 are the same; they may lie on both sides of a split.",
        },
        "chosen_in": {
            "features": chosen,
            "resamples": 20,
            "cells": [[int(rng.random() < 1 - 0.09 * i) for _ in range(20)] for i in range(len(chosen))],
        },
        "views": {
            "densities": [density(rng, each, class_names, i) for i, each in enumerate(chosen[:6])],
            "pair": {"x": chosen[0], "y": chosen[1 % len(chosen)], "points": points},
            "redundancy": {"features": chosen, "matrix": likeness(rng, len(chosen)), "measure": "|correlation|"},
        },
        "leak": {
            "sentence": "Selecting before splitting would have promised 5 %; the honest figure "
            "is 11 %: 6 points of optimism."
        },
        "pairs": pairs(rng, methods, classifiers),
    }


def feature_names(n_columns):
    strange = list(STRANGE_NAMES)
    names = [f"H{i:05d}" for i in range(n_columns)]
    for place, name in enumerate(strange):
        if 1 + 2 * place < n_columns:
            names[1 + 2 * place] = name
    return names


def method(rng, place, name, chance, sizes, features, classifiers):
    floor = 0.09 + 0.025 * place
    curves, results = {}, {}
    for shift, classifier in enumerate(classifiers):
        errors = [
            floor + 0.015 * shift + (chance - floor) * 0.8 * math.exp(-0.5 * i) + 0.004 * float(rng.random())
            for i in range(len(sizes))
        ]
        curves[classifier] = [
            {"size": size, "error": error, "low": max(0.0, error - 0.04), "high": error + 0.05}
            for size, error in zip(sizes, errors, strict=True)
        ]
        error = floor + 0.02 + 0.015 * shift
        results[classifier] = {
            "error": error,
            "low": error - 0.05,
            "high": error + 0.07,
            "size": 9 + 4 * place,
            "size_low": 5,
            "size_high": 20 + 3 * place,
            "balanced_error": error + 0.01,
            "macro_f1": 1 - error - 0.02,
            "micro_f1": 1 - error,
            "best_error": min(errors),
            "best_size": sizes[int(np.argmin(errors))],
            "leaked_error": max(0.0, error - 0.06 - 0.01 * place),
            "optimism": 0.06 + 0.01 * place,
            "rank": 1.5 + 0.6 * place,
            "is_not_worse": place < 3,
            "sentence": ""
            if place == 0
            else f"{name} {'does not err significantly more' if place < 3 else 'errs more'} than mrmr.",
        }
    scores = rng.gamma(0.5, 0.05, len(features))
    scores[:9] += 0.3
    frequencies = [{"feature": feature, "frequency": round(float(rng.random()), 2)} for feature in features[:60]]
    return {
        "name": name,
        "parameters": {"criterion": "difference", "n_features": "auto", "note": "<b>"},
        "certificate": "proved optimal: no other 9 features have a larger total (0.9)"
        if name == "fisher-markov"
        else "nothing is proved: other features may do better",
        "seconds": 0.12 * 4**place,
        "failed": None,
        "stability": {"index": 0.71 - 0.12 * place, "low": 0.6 - 0.12 * place, "high": 0.8 - 0.12 * place},
        "results": results,
        "curves": curves,
        "column_scores": None
        if name == "svm-rfe"
        else [None if i % 97 == 5 else round(float(s), 5) for i, s in enumerate(scores)],
        "size_by_beta": [[0.31 / (1 + 0.4 * i), 1 + 2 * i + i * i // 3] for i in range(20)]
        if name == "fisher-markov"
        else [],
        "frequencies": frequencies,
    }


def truth(place):
    """The first method finds all true columns before any other; the next ones the later the more."""
    share = [i / 59 for i in range(60)]
    curve = [[0.0, 0.0], [0.0, 1.0], [1.0, 1.0]] if place == 0 else [[x, x ** (0.2 * place)] for x in share]
    return {
        "auc": max(0.0, 1 - 0.1 * place),
        "one": 1.0,
        "all": max(0.0, 1 - 0.25 * place),
        "n_true": 5,
        "curve": curve,
    }


def density(rng, feature, class_names, place):
    grid = np.linspace(-3, 5, 80)
    classes = []
    for code, name in enumerate(class_names):
        centre, width = (2.2 - 0.25 * place) * code * 2 / max(len(class_names), 2), 0.6 + 0.1 * float(rng.random())
        values = np.exp(-(((grid - centre) / width) ** 2) / 2) / (width * math.sqrt(2 * math.pi))
        classes.append({"name": name, "density": [round(float(v), 4) for v in values]})
    return {"feature": feature, "grid": [round(float(v), 3) for v in grid], "classes": classes}


def likeness(rng, n):
    values = rng.random((n, n)) ** 1.6
    values = (values + values.T) / 2
    np.fill_diagonal(values, 1)
    return [[round(float(value), 3) for value in row] for row in values]


def pairs(rng, methods, classifiers):
    found = []
    for classifier in classifiers:
        for i, a in enumerate(methods):
            for b in methods[i + 1 :]:
                difference = -0.025 * (methods.index(b) - i) + 0.004 * float(rng.random())
                p = 0.2 if difference > -0.05 else 0.0004
                found.append(
                    {
                        "a": a,
                        "b": b,
                        "classifier": classifier,
                        "difference": difference,
                        "low": difference - 0.03,
                        "high": difference + 0.03,
                        "p": p,
                        "p_adjusted": min(1.0, 2 * p),
                        "better": 3,
                        "worse": 1,
                        "same": 16,
                        "rho": 0.9,
                        "rho_back": 0.05,
                        "sentence": f"{a} errs {-100 * difference:.1f} points less than {b}.",
                    }
                )
    return found


def across(rng, methods):
    ranks = sorted(round(1 + 0.8 * i + 0.2 * float(rng.random()), 2) for i in range(len(methods)))
    return {
        "methods": list(methods),
        "mean_ranks": ranks,
        "critical_difference": 2.1,
        "level": 0.05,
        "groups": [[0, min(2, len(methods) - 1)], [1, len(methods) - 1]],
        "friedman_p": 0.03,
        "sentence": f"{methods[0]} ranks first, but not significantly before the next two.",
        "pairs": [
            {
                "a": a,
                "b": b,
                "difference": -0.02 * (methods.index(b) - i),
                "p": 0.125 / (1 + i),
                "p_adjusted": 1.0,
                "effect": -0.8,
                "sentence": f"no significant difference between {a} and {b}",
            }
            for i, a in enumerate(methods)
            for b in methods[i + 1 :]
        ],
        "pairs_sentence": "4 tables are too few to call any two of the methods different",
    }


def _cloud(rng, n_classes):
    for code in range(n_classes):
        for _ in range(30):
            yield code, rng.normal(2 * code, 0.9), rng.normal(1.5 * (code % 3), 0.9)
