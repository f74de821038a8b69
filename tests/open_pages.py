#!/usr/bin/env python3
"""Opens report pages in a headless browser, light and dark: open_pages.py FOLDER PAGE..., screenshots go into the folder.

The browser must say nothing of a page, and what it draws has the colours of the reader's system.
"""

import shutil
import struct
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]
FLAGS += ["--disable-background-networking", "--hide-scrollbars", "--window-size=1100,2400", "--enable-logging=stderr"]
# A browser's own words for the two.
SCHEMES = {"light": 1, "dark": 0}


def browser():
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    assert found, "no Chromium: apt-get install chromium"
    return found


def first_pixel(path):
    """Red, green and blue of the upper left pixel of a PNG file, whose first row has no filter that reaches beyond it there."""
    data, at, pixels = path.read_bytes(), 8, b""
    while at < len(data):
        (length,), kind = struct.unpack(">I", data[at : at + 4]), data[at + 4 : at + 8]
        if kind == b"IDAT":
            pixels += data[at + 8 : at + 8 + length]
        at += 12 + length
    return tuple(zlib.decompressobj().decompress(pixels, 5)[1:4])


def main(folder, *pages):
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for page in map(Path, pages):
        for scheme, number in SCHEMES.items():
            picture = folder / f"{page.parent.name}-{page.stem}-{scheme}.png"
            picture.unlink(missing_ok=True)
            with tempfile.TemporaryDirectory() as profile:
                flags = [*FLAGS, f"--user-data-dir={profile}", f"--blink-settings=preferredColorScheme={number}"]
                command = [browser(), *flags, f"--screenshot={picture.resolve()}", page.resolve().as_uri()]
                ended = subprocess.run(command, capture_output=True, text=True, timeout=120)
            said = [line for line in ended.stderr.splitlines() if ":CONSOLE" in line]
            assert ended.returncode == 0 and picture.exists(), f"{page}: {ended.stderr[-2000:]}"
            assert not said, f"{page}: {said}"
            bright = sum(first_pixel(picture)) / 3
            assert (bright > 200) == (scheme == "light"), f"{page}: {scheme}, but the page's brightness is {bright}"
        print(f"{page}: drawn light and dark")


main(*sys.argv[1:])
