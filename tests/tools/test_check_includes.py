"""Each rule of tools/check_includes.py can fail, and says where."""

import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools"))
import check_includes  # noqa: E402


class CheckIncludes(unittest.TestCase):
    def found(self, files):
        with tempfile.TemporaryDirectory() as root:
            for path, text in files.items():
                os.makedirs(os.path.join(root, os.path.dirname(path)), exist_ok=True)
                with open(os.path.join(root, path), "w", encoding="utf8") as file:
                    file.write(text)
            return "\n".join(check_includes.check(root, sorted(files)))

    def test_an_include_that_points_down_is_fine(self):
        files = {"engine/base/math.h": "", "solvers/problem/cones.h": '#include "engine/base/math.h"\n',
                 "engine/dynamics/step.h": '#include "solvers/problem/cones.h"\n'}
        self.assertEqual(self.found(files), "")

    def test_an_include_that_points_up_is_named_with_file_and_line(self):
        files = {"engine/dynamics/step.h": "", "joints/joint.h": '\n#include "engine/dynamics/step.h"\n'}
        self.assertIn("joints/joint.h:2: joints must not include engine/dynamics", self.found(files))

    def test_a_layer_includes_only_those_of_its_rooms_that_it_names(self):
        files = {"engine/dynamics/rows/r.h": "", "engine/dynamics/derivative/d.h": '#include "engine/dynamics/s.h"\n',
                 "engine/dynamics/s.h": '#include "engine/dynamics/rows/r.h"\n'}
        self.assertEqual(self.found(files), "")
        files = {"engine/dynamics/derivative/d.h": "", "engine/dynamics/s.h": '#include "engine/dynamics/derivative/d.h"\n'}
        self.assertIn("engine/dynamics must not include engine/dynamics/derivative", self.found(files))

    def test_siblings_do_not_include_each_other(self):
        files = {"contacts/contact.h": "", "joints/joint.h": '#include "contacts/contact.h"\n'}
        self.assertIn("joints must not include contacts", self.found(files))

    def test_a_circle_of_headers_is_named(self):
        files = {"engine/model/a.h": '#include "engine/model/b.h"\n', "engine/model/b.h": '#include "engine/model/a.h"\n'}
        self.assertIn("a circle: engine/model/a.h -> engine/model/b.h -> engine/model/a.h", self.found(files))

    def test_the_collision_library_stays_in_contacts(self):
        files = {"engine/model/a.h": "#include <BulletCollision/btThing.h>\n"}
        self.assertIn("engine/model/a.h:1: bullet is not for this file", self.found(files))

    def test_a_path_that_does_not_start_at_the_root_is_named(self):
        files = {"engine/model/a.h": '#include "b.h"\n', "engine/model/b.h": ""}
        self.assertIn('"b.h" is no file of the project', self.found(files))

    def test_a_kernel_for_several_sets_of_instructions_includes_no_library(self):
        files = {"solvers/linear/k.h": "#include <cmath>\n", "solvers/linear/k.inc": "",
                 "solvers/linear/k.cpp": '#include "solvers/linear/k.h"\n#include "solvers/linear/k.inc"\n'}
        self.assertIn("solvers/linear/k.h:1: a kernel for several sets", self.found(files))
        self.assertEqual(self.found({**files, "solvers/linear/k.h": ""}), "")


if __name__ == "__main__":
    unittest.main()
