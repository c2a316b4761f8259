"""Every element of the XML reference has an example that runs. Usage: test_schema_examples.py PROGRAM SOURCE_FOLDER"""

import json
import re
import subprocess
import sys
import unittest

from test_cli import SOURCE, ProgramCase


class Examples(ProgramCase):
    def test_elements_have_examples_that_run_without_a_warning(self):
        with open(SOURCE + "/assets/schema.md", encoding="utf-8") as file:
            text = file.read()
        sections = dict(re.findall(r"^## ([^\n]*)\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL))
        del sections["Results"]
        self.assertGreater(len(sections), 30)
        names = {}
        for element, section in sections.items():
            with self.subTest(element):
                examples = re.findall(r"^```xml\n(.*?)```", section, re.MULTILINE | re.DOTALL)
                self.assertIn(f"<{element}", examples[0])
                for number, example in enumerate(examples):  # the first has the element's name: others include it
                    name = element + (f"-{number}" if number else "")
                    names[name] = example
                    self.path(name + ".xml", example)
        for name, example in names.items():
            with self.subTest(name):
                done = self.run_program("check", name + ".xml", "--duration", "0.2", "--json") if not name.startswith("expect") else \
                    self.run_program("check", name + ".xml", "--json")
                stopped = ["diverged at"] if "<divergence/>" in example else []  # as it is meant to be
                self.assertEqual([w[:11] for w in json.loads(done.stdout)[0]["warnings"]], stopped)

    def test_every_element_of_the_schema_is_in_an_example(self):
        with open(SOURCE + "/assets/schema.md", encoding="utf-8") as file:
            examples = "".join(re.findall(r"^```xml\n(.*?)```", file.read(), re.MULTILINE | re.DOTALL))
        with open(SOURCE + "/assets/scenario.xsd", encoding="utf-8") as file:
            elements = set(re.findall(r'element name="([\w-]+)"', file.read()))
        self.assertGreater(len(elements), 50)
        self.assertEqual([e for e in sorted(elements) if not re.search(f"<{e}[ />]", examples)], [])

    def test_examples_fit_the_schema(self):
        with open(SOURCE + "/assets/schema.md", encoding="utf-8") as file:
            examples = re.findall(r"^```xml\n(.*?)```", file.read(), re.MULTILINE | re.DOTALL)
        try:
            subprocess.run(["xmllint", "--version"], capture_output=True, check=True)
        except FileNotFoundError:
            self.skipTest("xmllint is not installed")
        for number, example in enumerate(examples):
            path = self.path(f"{number}.xml", example)
            done = subprocess.run(["xmllint", "--noout", "--schema", SOURCE + "/assets/scenario.xsd", path], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, example + done.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=1)
