#!/usr/bin/env python3
"""Runs every block of Python on pages of the book: `run_snippets.py DIRECTORY PAGE...`, in an output directory of a run."""

import os
import re
import subprocess
import sys
from pathlib import Path

directory, *pages = sys.argv[1:]
count = 0
for page in pages:
    for block in re.findall(r"^```python\n(.*?)^```$", Path(page).read_text(), re.DOTALL | re.MULTILINE):
        done = subprocess.run([sys.executable, "-c", block], cwd=directory, capture_output=True, text=True,
                              env={**os.environ, "PYVISTA_OFF_SCREEN": "true"})
        assert done.returncode == 0, f"{page}:\n{block}\n{done.stderr}"
        assert done.stdout.strip(), f"{page}: prints nothing:\n{block}"
        count += 1
assert count >= len(pages), f"{count} blocks on {len(pages)} pages"
print(f"{count} blocks of Python run")
