#!/usr/bin/env python3
"""Parses report pages with a parser of HTML that forgives nothing, and shows that they ask for nothing outside themselves."""

import re
import sys
from pathlib import Path

import html5lib

# Anything that makes a browser fetch something, wherever it is.
REFERENCES = {"src", "href", "xlink:href", "srcset", "data", "poster", "action", "formaction", "background", "cite", "ping"}
FETCHING = {"script", "link", "iframe", "object", "embed", "frame", "base", "form", "video", "audio", "source", "portal"}


def check(path):
    text = Path(path).read_text(encoding="utf-8")
    parser = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False)
    tree = parser.parse(text)
    elements = [element for element in tree.iter() if isinstance(element.tag, str)]
    for element in elements:
        tag = element.tag.rsplit("}", 1)[-1]
        assert tag not in FETCHING, f"{path}: a {tag} element"
        for name, value in element.attrib.items():
            name = name.rsplit("}", 1)[-1] if isinstance(name, str) else name[-1]
            assert not name.startswith("on"), f"{path}: {name} of {tag} runs a script"
            if name in REFERENCES:
                assert value.startswith(("#", "data:image/png;base64,")), f"{path}: {tag} asks for {value[:60]}"
            check_style(path, value)
        if tag == "style":
            check_style(path, "".join(element.itertext()))
        if tag == "meta":
            assert element.get("http-equiv") in (None, "Content-Security-Policy"), f"{path}: {element.attrib}"
    assert not re.search(r"https?:|//[a-z]", text.split("</head>")[0]), f"{path}: an address in the head"
    policy = [element.get("content") for element in elements if element.get("http-equiv")]
    assert policy and policy[0].startswith("default-src 'none'"), f"{path}: nothing forbids a browser to fetch"
    assert "prefers-color-scheme: dark" in text, f"{path}: no dark colours"
    names = {element.tag.rsplit("}", 1)[-1] for element in elements}
    assert {"h1", "table"} & names, f"{path}: an empty page"
    pictures = sum(element.tag.endswith("svg") for element in elements)
    print(f"{path}: {len(elements)} elements, {pictures} pictures, nothing from outside")


def check_style(path, text):
    for reference in re.findall(r"url\(\s*['\"]?([^)'\"]*)", text):
        assert reference.startswith(("#", "data:")), f"{path}: a style asks for {reference[:60]}"
    assert "@import" not in text, f"{path}: a style imports another"


for path in sys.argv[1:]:
    check(path)
