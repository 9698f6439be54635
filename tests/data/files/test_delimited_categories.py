"""Text in delimited files, by either reader."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from fewest.data.files.delimited import DelimitedSource
from fewest.data.scan import scan
from fewest.errors import InvalidInput, UnreadableFile

from ..small_table import rows_of
from ..text_tables import MISSING_TEXT


@pytest.mark.parametrize("reader", ["pyarrow", "csv"])
class TestDelimited:
    @pytest.fixture(autouse=True)
    def hide(self, reader, monkeypatch):
        if reader == "csv":
            monkeypatch.setitem(sys.modules, "pyarrow", None)
        monkeypatch.setattr(DelimitedSource, "fields_inspected", 1)
        monkeypatch.setattr(DelimitedSource, "values_at_once", 60)
        monkeypatch.setattr(DelimitedSource, "bytes_at_once", 256)

    def source(self, folder, rows, **options):
        (folder / "t.csv").write_bytes(b"a,b,label\n" + b"".join(row + b"\n" for row in rows))
        return scan(folder / "t.csv", "label", **options)

    def test_states_are_the_texts_as_written_and_the_words_for_missing_stay_missing(self, tmp_path):
        fields = ["x", "1", " 1", "1.0", "NA", "", "?", "#N/A", "nan", "None", "X", "true", "1", '"NA"', '"a ""b"""']
        source = self.source(tmp_path, [f"{field},1,y".encode() for field in fields]).with_text_as_codes()
        expected = [0, 1, 2, 3, *[MISSING_TEXT] * 6, 4, 5, 1, MISSING_TEXT, 6]
        assert_array_equal(rows_of(source)[0][:, 0], expected)

    def test_a_column_that_holds_text_only_later_gives_its_error_as_before(self, tmp_path):
        rows = [f"{'uv'[row % 2]},{'much' if row == 220 else row},x".encode() for row in range(300)]
        source = self.source(tmp_path, rows).with_text_as_codes()
        assert source.text_columns == ["a"]
        with pytest.raises(InvalidInput, match=r"line 222: column 'b' holds 'much', which is not a number, though its"):
            list(source.blocks())
        assert_array_equal(rows_of(source, [0])[0][:, 0], np.arange(300) % 2)

    @pytest.mark.parametrize("lines", [{10: b'"u,2,x'}, {290: b'"u,2,x'}, {250: b'"u,2,x', 252: b'"v",2,x'}])
    def test_a_quotation_mark_left_open_in_text_is_found(self, tmp_path, lines):
        with pytest.raises(UnreadableFile, match=r"line \d+: .* Is a quotation mark left open"):
            list(self.source(tmp_path, self.lines(lines)).with_text_as_codes().blocks())

    def test_a_pass_that_leaves_the_text_out_does_not_vouch_for_its_quotes(self, reader, tmp_path):
        source = self.source(tmp_path, self.lines({250: b'"u,2,x', 252: b'"v",2,x'})).with_text_as_codes()
        if reader == "pyarrow":
            assert len(rows_of(source, [1])[0]) == 298
        with pytest.raises(UnreadableFile, match=r"line \d+: .* Is a quotation mark left open"):
            list(source.blocks([0]))

    def test_quotes_that_hold_lines_are_text(self, tmp_path):
        source = self.source(tmp_path, self.lines({250: b'"u,2,x', 252: b'v",2,x'})).with_text_as_codes()
        for _ in range(2):
            assert_array_equal(rows_of(source)[0], [[1 if row == 250 else 0, 2] for row in range(298)])

    def lines(self, changed):
        return [changed.get(row, b"u,2,x") for row in range(300)]

    def test_a_state_may_first_appear_in_a_later_block(self, tmp_path):
        rows = [f"{'late' if row >= 250 else 'uv'[row % 2]},2,x".encode() for row in range(300)]
        source = self.source(tmp_path, rows).with_text_as_codes()
        assert len(list(source.blocks())) > 5
        assert_array_equal(rows_of(source)[0][:, 0], [2 if row >= 250 else row % 2 for row in range(300)])

    def test_bytes_that_are_not_utf8_are_named(self, tmp_path):
        rows = [b"caf\xe9,1,x" if row == 250 else b"u,1,x" for row in range(300)]
        source = self.source(tmp_path, rows, encoding="utf-8").with_text_as_codes()
        with pytest.raises(UnreadableFile, match=r"line 252: the byte 0xe9 is not UTF-8 text"):
            list(source.blocks())
