#!/usr/bin/env python3
"""Asks for every address outside the repository that the documents name, and reports those that do not answer; never fails."""

import re
import sys
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path


def ask(address):
    request = urllib.request.Request(address, method="GET", headers={"User-Agent": "Mozilla/5.0"})
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return address, answer.status
    except Exception as error:  # whatever keeps an address from answering is to be reported
        return address, getattr(error, "code", error)


addresses = {address for page in sys.argv[1:]
             for address in re.findall(r"\]\((https?://[^)\s]+)\)", Path(page).read_text())}
with ThreadPoolExecutor(8) as pool:
    silent = [(a, why) for a, why in pool.map(ask, sorted(addresses)) if why != 200]
print(f"{len(addresses)} addresses, {len(silent)} without an answer")
for address, why in silent:
    print(f"  {address}: {why}")
