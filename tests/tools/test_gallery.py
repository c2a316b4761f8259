"""The gallery's page, its scenarios and its pictures belong together. Usage: test_gallery.py"""

import os
import re
import struct
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tools", "docs"))
import gallery  # noqa: E402


class Gallery(unittest.TestCase):
    def test_each_mechanism_has_its_picture_its_scenario_and_what_is_checked(self):
        with open(os.path.join(ROOT, "assets", "docs", "gallery.md"), encoding="utf-8") as file:
            rows = re.findall(r"^\| !\[[^\]]+\]\(\.\./gallery/([\w-]+)\.png\) \| \[[^\]]+\]\(\.\./([\w/.-]+\.xml)\) \|", file.read(), re.MULTILINE)
        self.assertEqual(rows, [(name, picture[0]) for name, picture in gallery.PICTURES.items()])
        self.assertEqual(len(rows), 20)
        for _, scenario in rows:
            with open(os.path.join(ROOT, "assets", scenario), encoding="utf-8") as file:
                self.assertIn("<check ", file.read(), scenario)

    def test_pictures_have_the_size_that_they_are_drawn_in_and_something_on_them(self):
        for name in gallery.PICTURES:
            with open(os.path.join(ROOT, "assets", "gallery", name + ".png"), "rb") as file:
                data = file.read()
            self.assertEqual(struct.unpack(">II", data[16:24]), gallery.SIZE, name)
            self.assertGreater(len(data), 4000, name)

    def test_every_scenario_of_the_folder_is_shown(self):
        shown = {os.path.basename(p[0]) for p in gallery.PICTURES.values()}
        files = {f for f in os.listdir(os.path.join(ROOT, "assets", "gallery")) if f.endswith(".xml")}
        self.assertLessEqual(files, shown)


if __name__ == "__main__":
    unittest.main()
