"""Every file on the page of errors brings its message about. Usage: test_errors_page.py PROGRAM SOURCE_FOLDER"""

import html
import re
import subprocess
import sys
import unittest

from test_cli import PROGRAM, SOURCE, ProgramCase


class Errors(ProgramCase):
    def test_files_bring_their_messages_about(self):
        with open(SOURCE + "/assets/docs/errors.md", encoding="utf-8") as file:
            entries = re.findall(r"^## ([^\n]*)\n\n```xml\n(.*?)```", file.read(), re.MULTILINE | re.DOTALL)
        self.assertEqual(len(entries), 20)
        for message, content in entries:
            with self.subTest(message):
                path = self.path("case.xml", f'<scenario name="case">\n{content}</scenario>\n')
                done = subprocess.run([PROGRAM, "check", path, "-q", "--duration", "0.01"], capture_output=True, text=True, cwd=self.folder.name)
                self.assertIn(html.unescape(message), done.stdout + done.stderr)
                self.assertEqual(done.returncode, 0 if "warning: " in done.stdout else 2)
                if done.returncode:
                    self.assertRegex(done.stderr, r"case\.xml:\d+: |case\.xml: channel")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=1)
