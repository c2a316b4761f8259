"""tools/check_rules.py finds what it is to find: long functions of all forms, and no table or class for one."""

import importlib.util
import os
import unittest

PATH = os.path.join(os.path.dirname(__file__), "..", "..", "tools", "check_rules.py")
SPEC = importlib.util.spec_from_file_location("check_rules", PATH)
check_rules = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(check_rules)


class Functions(unittest.TestCase):
    def test_length_is_that_of_the_body_however_many_lines_the_signature_has(self):
        text = ["double f(int a) {", "  if (a) {", "    return 1.0;", "  }", "  return 2.0;", "}", "",
                "double g(int a,", "         int b) {", "  return 1.0;", "}",
                "Body::Body(int a)", "    : a_(a),", "      b_(f(a)) {", "  check();", "  count();", "}"]
        self.assertEqual([length for _, length in check_rules.functions(text)], [4, 1, 2])

    def test_tables_classes_and_namespaces_are_no_functions(self):
        text = ["namespace grashof {", "constexpr auto kTable = std::to_array<Row>({", "    {1, 2},", "});",
                "class Box final : public Shape {", " public:", "  double volume() const {", "    return 1.0;", "  }", "};",
                "struct Row {", "  int a, b;", "};", "}  // namespace grashof"]
        self.assertEqual(list(check_rules.functions(text)), [])


if __name__ == "__main__":
    unittest.main()
