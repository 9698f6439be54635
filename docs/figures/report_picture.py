"""Draws report.png and report_dark.png: the head of the page of a comparison, as a browser shows it.

python docs/figures/report_picture.py        needs chromium
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image

FOLDER = Path(__file__).parents[1]
COMMAND = ("compare", "breast-cancer", "--outer", "10", "--quiet")
WIDTH, HEIGHT, SCALE = 900, 800, 1.5
#: The colour schemes as chromium numbers them.
SCHEMES = {"report.png": 1, "report_dark.png": 0}


def main():
    with TemporaryDirectory() as folder:
        page, shot = Path(folder) / "report.html", Path(folder) / "shot.png"
        subprocess.run([sys.executable, "-m", "fewest", *COMMAND, "--report", str(page)], check=True)
        for name, scheme in SCHEMES.items():
            browser = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
            browser += [f"--window-size={WIDTH},{HEIGHT}", f"--force-device-scale-factor={SCALE}"]
            browser += [f"--blink-settings=preferredColorScheme={scheme}", f"--screenshot={shot}", page.as_uri()]
            subprocess.run(browser, check=True, capture_output=True)
            with Image.open(shot) as picture:
                picture.convert("RGB").quantize(64).save(FOLDER / name, optimize=True)


if __name__ == "__main__":
    main()
