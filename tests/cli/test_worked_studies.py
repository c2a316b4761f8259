"""The commands of assets/docs/worked-studies.md give the numbers that stand there. Usage: test_worked_studies.py PROGRAM SOURCE_FOLDER"""

import csv
import os
import re
import sys
import unittest

from test_cli import SOURCE, ProgramCase


# How far rounding of another processor may carry what rattles, or does not converge.
LOOSE = {"fourbar-play": 0.1, "solvers": 0.3}


def page():
    with open(SOURCE + "/assets/docs/worked-studies.md", encoding="utf-8") as file:
        return file.read()


def tables(text):
    """The commands before each table that begins with a factor of a study, and its rows as dictionaries."""
    for part in text.split("\n## ")[1:]:
        studies = re.findall(r"^    grashof sweep assets/studies/([\w-]+)\.xml", part, re.MULTILINE)
        lines = [line for line in part.splitlines() if line.startswith("|")]
        if studies and lines:
            heads = [cell.strip() for cell in lines[0].strip("|").split("|")]
            yield studies, [dict(zip(heads, (cell.strip() for cell in line.strip("|").split("|")))) for line in lines[2:]]


class Worked(ProgramCase):
    def setUp(self):
        super().setUp()
        os.symlink(SOURCE + "/assets", self.path("assets"))

    def sweep(self, study):
        return self.run_program("sweep", f"assets/studies/{study}.xml", "-j", "1").stdout

    def close(self, said, made, what, share=0.02):
        self.assertAlmostEqual(float(said), float(made), delta=share * abs(float(said)), msg=what)

    def test_studies_give_what_stands_there(self):
        seen = 0
        for studies, rows in tables(page()):
            seen += 1
            with self.subTest(studies[0]):
                text = self.sweep(studies[0])
                if "measure" in rows[0]:
                    for row in rows:
                        made = re.search(rf"^  {row['measure']} +\d+ +\S+ +(\S+)", text, re.MULTILINE)
                        self.close(row["deviation"], made.group(1), row["measure"])
                    continue
                with open(self.path(f"results/{studies[0]}/table.csv"), encoding="utf-8") as file:
                    table = list(csv.DictReader(file))
                with open(SOURCE + f"/assets/studies/{studies[0]}.xml", encoding="utf-8") as file:
                    factors = re.findall(r'<param name="([^"]*)"', file.read())
                for row in rows:
                    same = [r for r in table if all(r[f] == row[f] for f in factors)]
                    self.assertEqual(len(same), 1, row)
                    for head in set(row) - set(factors):
                        # Residuals, drift and penetration of a solved step are of the size of rounding.
                        if float(row[head]) > 1e-8:
                            self.close(row[head], same[0][head], f"{row} {head}", LOOSE.get(studies[0], 0.02))
                        else:
                            self.assertLess(float(same[0][head]), 1e-8)
        self.assertEqual(seen, 5)

    def test_friction_is_found_again(self):
        command, said = re.search(r"    grashof optimize (.*incline.*)\n\n```\n((?:.|\n)*?)```", page()).groups()
        text = self.run_program("optimize", *command.split()).stdout
        for name, true, within in (("mu", 0.23, 1e-3), ("push", 2.1, 1e-3), ("miss", 0.0005 * 2**0.5, 1e-4)):
            value = re.compile(rf"^  {name} +\S+ +(\S+)", re.MULTILINE)
            self.assertAlmostEqual(float(value.search(text).group(1)), true, delta=within)
            self.close(value.search(said).group(1), value.search(text).group(1), name)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=1)
