"""The tables of the papers that come neither with scikit-learn nor from a generator."""

from __future__ import annotations

from fewest.papers.experiments.stored_tables import StoredTable

_CC_BY = "CC BY 4.0 (https://creativecommons.org/licenses/by/4.0/)"

_SSL = "the benchmark of the book Semi-Supervised Learning (Chapelle, Schölkopf, Zien 2006),"
_CLUTO = "the data sets of CLUTO (cluto_20171213, term counts),"
_GEMS = "the data sets of GEMS (gems-system.org),"
_SKFEATURE = "the package scikit-feature (jundongl/scikit-feature),"


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
        StoredTable(
            "ssl_bci", (400, 117), "92c47dba7b54aeb190b6524d56584469ed00a8be9d1de6f6d21555a676243802",
            f"{_SSL} data4.mat",
        ),
        StoredTable(
            "ssl_digit1", (1500, 241), "d20a5535c923583be33014c9e456f56b2caf0c22fb1b7c047b4a6e4628be59a4",
            f"{_SSL} data1.mat",
        ),
        StoredTable(
            "ssl_usps", (1500, 241), "27bb32bb8ab4db029983eb091e1a487374c77f9455f95d8fa19313f0c26caa24",
            f"{_SSL} data2.mat",
        ),
        StoredTable(
            "colon", (62, 2000), "e2c70d985f04ae5f45f9cf9b5d48599d69344ead4b915683662043364f0ecbc6",
            "the R package datamicroarray (alon)",
        ),
        StoredTable(
            "lymphoma", (96, 4026), "27c813ed0babc3930dc0b56fb6630a814ce131dee5d07d34fbd7df1016756a85",
            f"{_SKFEATURE} lymphoma.mat",
        ),
        StoredTable(
            "leukemia_disc", (72, 7070), "ca18e4612f9b8eeaf7c2ac5cf503ba133f3c2c05664928b9d6834f48722018b1",
            f"{_SKFEATURE} leukemia.mat",
        ),
        StoredTable(
            "nci9", (60, 9712), "4353c1fbc4bfd54af60fe921556aef26f87be5dd1c12638164bf1f38f86d3b46",
            f"{_SKFEATURE} nci9.mat",
        ),
        StoredTable(
            "lung181", (181, 12533), "943e05c8f65f3f6330ed554730fe80d0227e2053943cabf1e0c76a3c8712c8db",
            "the R package datamicroarray (gordon)",
        ),
        StoredTable(
            "mfeat", (2000, 649), "edc0825fb2fcd4a046dbd8b5121d348d4e72d12c8d289cce27542ff486d1d447",
            "the UCI repository, Multiple Features, in the order of its files fou, fac, kar, pix, zer, mor",
        ),
        StoredTable(
            "arrhythmia", (452, 279), "1d9901e2d31d5ca0f9659f6cd993502c6a7c6d47a074b8fe27d12372834b1be5",
            "the UCI repository, Arrhythmia",
        ),
        StoredTable(
            "prostate", (102, 12600), "2ae122f2964da75b82a19eeb70eddd82fdf9fd7365301dad831a9459f1ce9879",
            "the R package datamicroarray (singh)",
        ),
        StoredTable(
            "usps", (9298, 256), "8a1410b98bdeda42357234965528ce6659123a73765ba073f5705b0267fa1e35",
            "the data of The Elements of Statistical Learning, zip.train and zip.test",
        ),
        StoredTable(
            "dna", (3186, 180), "002acfc65cb38fcf044240cd11a3b34c9676a739782fa1c3e0e55790c89555f1",
            "the R package mlbench (DNA)",
        ),
        StoredTable(
            "lrs", (531, 93), "a1fd20b40ae8ee7b61c5f4cb90db45d22fd4de8d376b1521ca77192f6f35a4c8",
            "the UCI repository, Low Resolution Spectrometer",
        ),
        StoredTable(
            "tr11", (414, 6429), "7ab48e84fd131a5c335efbef748b3fb7e037353746601d09b70d42aec5a703a4",
            f"{_CLUTO} tr11",
        ),
        StoredTable(
            "tr12", (313, 5804), "bafa27ec8e6d97cb1df75ecea8e41fb82c2e8a85c5e82c629d4800d6147fe81f",
            f"{_CLUTO} tr12",
        ),
        StoredTable(
            "tr23", (204, 5832), "b2a77cc0facd3e151d1af5268db849b886457da9b9fd8b8efe4a80425d84de0e",
            f"{_CLUTO} tr23",
        ),
        StoredTable(
            "tr31", (927, 10128), "d27c75fc681522694dca953871f8c7900158008d57f99ae9dea1ef3820a25e6e",
            f"{_CLUTO} tr31",
        ),
        StoredTable(
            "tr41", (878, 7454), "a35a04e9a48b5da17193652bfe46022b1cfaee8aa7567f9bf96f11974d51fd7d",
            f"{_CLUTO} tr41",
        ),
        StoredTable(
            "tr45", (690, 8261), "5bd1bdeb6a42bcca44cb5e11d468ac2b0e77f4179387fadd5ff0cc711453568d",
            f"{_CLUTO} tr45",
        ),
        StoredTable(
            "9tumors", (60, 5726), "3727bc331085b39f6d07c8f503733d84a0fd3c20640a666b9c86fdbe7cf1651a",
            f"{_GEMS} 9_Tumors",
        ),
        StoredTable(
            "leukemia1", (72, 5327), "dd9f4c4179fe1c5fc74bcc85bd7f76476b07b72f79a6979177cdd7498a709052",
            f"{_GEMS} Leukemia1",
        ),
        StoredTable(
            "leukemia2", (72, 11225), "1f7fac7430a6d096279ddb9c306c2ecb39d6af49fcaab661eed607a6a7ed1ed8",
            f"{_GEMS} Leukemia2",
        ),
        StoredTable(
            "srbct", (83, 2308), "1dfed6afbacb51bf4f172e879a6eebc2e534052ad0893fe3763841294dd8436e",
            f"{_GEMS} SRBCT",
        ),
        StoredTable(
            "dlbcl", (77, 5469), "71de1477c451acf603c003b6c276c2e32fe57c595f09eed7d3f7bf3e91dfaef1",
            f"{_GEMS} DLBCL",
        ),
    )
}  # fmt: skip
