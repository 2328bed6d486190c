#!/usr/bin/env python3
"""Opens a page in headless Chromium, light and dark: it must draw something and complain about nothing.

Usage: browser.py PAGE SCREENSHOT

The page is one of pairs of bodies, in their two colours.
"""

import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import zlib

FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--hide-scrollbars", "--window-size=1360,1500", "--enable-logging=stderr", "--v=0",
]


def chromium(*arguments):
    """Runs the browser with a profile of its own; returns what it wrote."""
    with tempfile.TemporaryDirectory() as profile:
        command = ["chromium", *FLAGS, f"--user-data-dir={profile}", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode != 0:
        sys.exit(f"chromium failed with {done.returncode}:\n{done.stderr}")
    complaints = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    if complaints:
        sys.exit("the page complains:\n" + "\n".join(complaints))
    return done.stdout


def pixels(path):
    """Rows of an 8-bit RGB or RGBA picture, as bytes, and the number of bytes per pixel."""
    data = path.read_bytes()
    if data[:8] != b"\x89PNG\r\n\x1a\n":
        sys.exit(f"{path} is no PNG")
    at, packed, header = 8, b"", None
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at : at + 8])
        body = data[at + 8 : at + 8 + length]
        if kind == b"IHDR":
            header = struct.unpack(">IIBBBBB", body)
        elif kind == b"IDAT":
            packed += body
        at += 12 + length
    width, height, depth, colour, _, _, interlace = header
    if depth != 8 or colour not in (2, 6) or interlace:
        sys.exit(f"{path}: an unexpected kind of PNG")
    size = 3 if colour == 2 else 4
    raw, stride, rows = zlib.decompress(packed), width * size, []
    before = bytearray(stride)
    for y in range(height):
        start = y * (stride + 1)
        kind, row = raw[start], bytearray(raw[start + 1 : start + 1 + stride])
        for x in range(stride):
            left = row[x - size] if x >= size else 0
            up = before[x]
            corner = before[x - size] if x >= size else 0
            if kind == 1:
                row[x] = (row[x] + left) & 255
            elif kind == 2:
                row[x] = (row[x] + up) & 255
            elif kind == 3:
                row[x] = (row[x] + (left + up) // 2) & 255
            elif kind == 4:
                guess = left + up - corner
                nearest = min((abs(guess - left), 0, left), (abs(guess - up), 1, up), (abs(guess - corner), 2, corner))
                row[x] = (row[x] + nearest[2]) & 255
        rows.append(bytes(row))
        before = row
    return rows, size


def check_not_blank(path, least):
    """Enough colours, and at least a share of both bodies' hues among them."""
    rows, size = pixels(path)
    colours = set()
    blue = amber = total = 0
    for row in rows:
        for x in range(0, len(row), size):
            r, g, b = row[x], row[x + 1], row[x + 2]
            colours.add((r, g, b))
            blue += b > r + 60
            amber += r > b + 60
            total += 1
    print(f"{path}: {len(colours)} colours, {blue / total:.1%} blue, {amber / total:.1%} amber")
    if len(colours) < 50 or blue < least * total or amber < least * total:
        sys.exit(f"{path} is blank, or a body is missing")


def main():
    page, screenshot = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    dom = chromium("--dump-dom", page.as_uri())
    cards, drawings = len(re.findall(r"<article", dom)), len(re.findall(r'class="drawing"', dom))
    print(f"{page.name}: {cards} cards, {drawings} drawings")
    if not 0 < drawings == cards or "</html>" not in dom:
        sys.exit("the page lacks its drawings")
    least = 0.01
    chromium(f"--screenshot={screenshot}", page.as_uri())
    check_not_blank(screenshot, least)
    dark = screenshot.with_name(screenshot.stem + "-dark.png")
    chromium("--force-dark-mode", "--blink-settings=preferredColorScheme=0", f"--screenshot={dark}", page.as_uri())
    check_not_blank(dark, least)


if __name__ == "__main__":
    main()
