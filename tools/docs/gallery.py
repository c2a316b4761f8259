#!/usr/bin/env python3
"""Draws the pictures of the gallery, assets/gallery/NAME.png, by `grashof render`. Usage: gallery.py PROGRAM [NAME ...]

Needs chromium and ffmpeg. The page is assets/docs/gallery.md; tests/tools/test_gallery.py holds both together.
"""

import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SIZE = (480, 320)

# name: scenario below assets, time of the picture in s, azimuth, elevation, more options
PICTURES = {
    "four-bar": ("scenarios/fourbar-fixed.xml", 0.4, 10, 10, []),
    "peaucellier": ("gallery/peaucellier.xml", 0.4, 0, 10, ["--show", "ghosts=5"]),
    "hart": ("gallery/hart.xml", 0.4, 0, 10, ["--show", "ghosts=5"]),
    "klann": ("gallery/klann.xml", 0.3, 15, 10, []),
    "jansen": ("gallery/jansen-leg.xml", 0.3, 15, 10, []),
    "stewart-platform": ("scenarios/stewart-platform.xml", 1.0, 24, 18, []),
    "delta": ("gallery/delta.xml", 0.5, 24, 10, []),
    "differential": ("gallery/bevel-differential.xml", 0.5, 20, 18, []),
    "geneva": ("gallery/geneva.xml", 0.45, -15, 20, []),
    "cam-follower": ("gallery/cam-follower.xml", 0.1, 20, 12, []),
    "oldham": ("gallery/oldham.xml", 0.3, 50, 15, []),
    "scissor-lift": ("scenarios/scissor-lift.xml", 2.0, 24, 10, []),
    "pantograph": ("gallery/pantograph.xml", 0.5, 0, 60, []),
    "eye": ("gallery/eye.xml", 1.2, 65, 12, []),
    "jaw": ("gallery/jaw.xml", 0.5, -20, 8, []),
    "neck": ("scenarios/neck.xml", 1.0, 24, 12, []),
    "hand": ("gallery/hand.xml", 2.0, -30, 10, []),
    "walker": ("scenarios/jansen-walker.xml", 1.0, 24, 14, []),
    "catapult": ("gallery/catapult.xml", 0.05, 20, 10, ["--duration", "0.1"]),
    "escapement": ("gallery/escapement.xml", 1.0, 10, 8, []),
}


def draw(program, name):
    file, time, azimuth, elevation, more = PICTURES[name]
    with tempfile.TemporaryDirectory() as folder:
        large = os.path.join(folder, "large.png")
        subprocess.run([program, "render", os.path.join(ROOT, "assets", file), "-o", large, "-q", "--start", str(time),
                        "--size", f"{2 * SIZE[0]}x{2 * SIZE[1]}", "--scale", "2", "--azimuth", str(azimuth), "--elevation", str(elevation), *more],
                       check=True, stdout=subprocess.DEVNULL)
        # Drawn large and made small: smooth edges; 128 colours are enough.
        filters = f"scale={SIZE[0]}:{SIZE[1]}:flags=area,split[a][b];[a]palettegen=max_colors=128[p];[b][p]paletteuse=dither=none"
        subprocess.run(["ffmpeg", "-v", "error", "-y", "-i", large, "-filter_complex", filters,
                        os.path.join(ROOT, "assets", "gallery", name + ".png")], check=True)


def main():
    for name in sys.argv[2:] or PICTURES:
        draw(os.path.abspath(sys.argv[1]), name)
        print(name)


if __name__ == "__main__":
    main()
