"""The tables of the papers that come neither with scikit-learn nor from a generator."""

from __future__ import annotations

from fewest.papers.stored_tables import StoredTable

_CC_BY = "CC BY 4.0 (https://creativecommons.org/licenses/by/4.0/)"


def _uci(name: str, shape: tuple[int, int], sha256: str, doi: str, terms: str | None = _CC_BY) -> StoredTable:
    return StoredTable(name, shape, sha256, f"the UCI repository, https://doi.org/{doi}", terms)


KNOWN_TABLES = {
    table.name: table
    for table in (
        _uci(
            "sonar", (208, 60), "5154afddc844f8c8547d79b9c10fd29563ae68669262ed311972d18394ac1635", "10.24432/C5T01Q"
        ),
        _uci(
            "ionosphere", (351, 34), "46b41420578aff04e3a017350b48ed83b6aa765d3d948c4cf63571838a8dfa75",
            "10.24432/C5W01B",
        ),
        _uci("wpbc", (198, 33), "668f0315cdca9c895d040aa581f966d0fea1571a027b1db269f25b3f85f069e3", "10.24432/C5GK50"),
        _uci(
            "breast_w", (699, 9), "33a4d9a687a292b56fcf2f9ed173d2d45db40ca2beb92191004204ce2a2af712", "10.24432/C5HP4Z"
        ),
        _uci(
            "german", (1000, 24), "34271fcd7ea3a03396392b41a1d87339dbcda6075ef4304c5a5de5126aea21df", "10.24432/C5NC77"
        ),
        _uci("heart", (270, 13), "0290a4172d866073934c35b31e863a6c29cf5ab871025d05487263283d96f19c", "10.24432/C57303"),
        _uci("glass", (214, 9), "4b901aff382b33a79020d958f1b5e27be351b047d009528c5d360af9806bad58", "10.24432/C5WW2P"),
        _uci("ecoli", (336, 7), "d8c5604e41b90d9f5e0152a7c1d03cd096602753b2ff6e16b980f443aba05a12", "10.24432/C5388M"),
        StoredTable(
            "pima", (768, 8), "5f1fe961fb891789bad55ccb78bdfe463902fd4acbdc8a4edc9e5e3687a2b9cc",
            "the R package mlbench (PimaIndiansDiabetes)",
        ),
        StoredTable(
            "waveform", (5000, 21), "254c41053e58506dc22bc8a036f8df23e122d48924352a0525cef888a14430bb",
            "the UCI repository, Waveform Database Generator (Version 1)",
        ),
        StoredTable(
            "splice", (3190, 60), "0ac18f83426b654211a6093438cd7dc2aad1a6ce83dc5141a2c5cda155ebc11a",
            "the UCI repository, Molecular Biology (Splice-junction Gene Sequences)",
        ),
        StoredTable(
            "segment", (2310, 19), "3283d90b517d32b824e06f92b1f3507e48efd3218b9477056d1be4903881ae46",
            "the UCI repository, Image Segmentation (Statlog)",
        ),
    )
}  # fmt: skip
