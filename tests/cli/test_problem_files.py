"""Problems as files: dumped, solved, damaged. Usage: test_problem_files.py PROGRAM SOURCE_FOLDER [CLASS[.TEST] ...]"""

import glob
import json
import os
import sys
import unittest

import h5py

from test_cli import SOURCE, ProgramCase, scenario


class Problems(ProgramCase):
    """Problems of runs and of other codes."""

    def dumped(self, name="fourbar-free", rule="every=100"):
        """Problem files of the steps of a scenario."""
        self.run_program("run", scenario(name), "--duration", "0.3", "--dump-problems", rule, "-o", self.path("out"))
        return sorted(glob.glob(self.path(f"out/{name}/problems/*.h5")))

    def test_problems_with_loads_and_laws_are_solved_from_their_files(self):
        for name, surface in (("roll", 'rolling-friction="0.002"'), ("hertz", 'stiffness="1e6" exponent="1.5"')):
            self.run_program("run", self.path(name + ".xml", f"""<scenario><options duration="0.05"/><material name="m" friction="0.8" {surface}/>
              <shape type="plane" material="m"/><body name="a" position="0 0 0.05" velocity="1 0 0">
              <shape type="sphere" radius="0.05" mass="1" material="m"/></body></scenario>"""), "-q", "--dump-problems", "every=25", "-o", "out")
            files = glob.glob(self.path(f"out/{name}/problems/*.h5"))
            self.assertTrue(files)
            for row in json.loads(self.run_program("solve", *files, "--json").stdout):
                self.assertEqual(row["status"], "solved", row)

    def test_problems_of_a_run_are_files_that_solve_to_the_same(self):
        files = self.dumped()
        self.assertEqual(len(files), 3)
        with h5py.File(files[-1]) as file:
            contacts = len(file["fclib_local/vectors/mu"])
            self.assertGreater(contacts, 0)
            self.assertEqual(len(file["fclib_local/vectors/q"]), 3 * contacts)
            self.assertEqual(file["fclib_local/W/m"][0], 3 * contacts)
            self.assertEqual(len(file["grashof/joints/rows"]), 4)
            u, r = file["solution/u"][:], file["solution/r"][:]
            w, n = file["fclib_local/W"], 3 * contacts
            product = file["fclib_local/vectors/q"][:]
            for column in range(n):
                entries = slice(w["p"][column], w["p"][column + 1])
                product[w["i"][entries]] += w["x"][entries] * r[column]
            self.assertLess(abs(u - product).max(), 1e-12)  # with the joints
        self.assertGreater(r[0::3].min(), -1e-9)  # the normal comes first
        self.assertLess(abs(u[0::3] * r[0::3]).max(), 1e-7)
        done = self.run_program("solve", *files, "--solver", "ADMM,PGS-NCP", "--tolerance", "1e-9", "--json")
        rows = json.loads(done.stdout)
        self.assertEqual(len(rows), 6)
        for row in rows:
            self.assertEqual(set(row), {"file", "solver", "status", "iterations", "factorizations", "time_s", "contacts",
                                        "worse_than_none", "residuals"})
            self.assertEqual(row["status"], "solved", row)
            for name in ("primal", "dual", "complementarity"):
                self.assertLessEqual(row["residuals"][name], 1.01e-9)
        # A penalty that never moves takes one factorization, and an attribute that is none is refused.
        def factorizations(*more):
            text = self.run_program("solve", files[-1], "--solver", "ADMM-NCP-SA", "--json", *more).stdout
            return json.loads(text)[0]["factorizations"]

        self.assertEqual(factorizations("--set", "solver.penalty-step=0"), 1)
        self.assertEqual(factorizations("--set", "solver.penalty-step=0", "--set", "solver.relaxation=1.5"), 1)
        self.assertGreater(factorizations("--set", "solver.penalty-exponent=0.9"), 1)
        # Facets count, to the solver and to who judges it.
        for more in ((), ("--set", "solver.facets=16")):
            row = json.loads(self.run_program("solve", files[-1], "--solver", "LCP-PGS,LCP-LEMKE,LCP-STAGGERED", "--json", *more).stdout)
            self.assertEqual([r["status"] for r in row], 3 * ["solved"])
        for wrong, said in (("solver.facets=7", "even number"), ("solver.penaltystep=0", "penaltystep"), ("solver.penalty-step=7", "penalty-step"), ("penalty", "path=value"), ("solver.max-iterations=1", "of its own")):
            self.assertIn(said, self.run_program("solve", files[-1], "--set", wrong, code=2).stderr)
        self.run_program("run", scenario("fourbar-free"), "--dump-problems", "often", "-o", self.path("no"), code=2)

    def write_problem(self, name, change=lambda file: None):
        """One contact of 1 kg pressed onto the ground with 1 N s and pushed along t by 0.2 N s."""
        with h5py.File(self.path(name), "w") as file:
            file["fclib_local/spacedim"] = [3]
            for key, value in {"m": [3], "n": [3], "nz": [-1], "nzmax": [3], "p": [0, 1, 2, 3], "i": [0, 1, 2]}.items():
                file["fclib_local/W/" + key] = value
            file["fclib_local/W/x"] = [1.0, 1.0, 1.0]
            file["fclib_local/vectors/mu"] = [0.5]
            file["fclib_local/vectors/q"] = [-1.0, 0.2, 0.0]
            change(file)
        return self.path(name)

    def test_reaction_comes_in_the_rows_of_the_file(self):
        problem, out = self.write_problem("one.h5"), self.path("reaction.txt")
        self.run_program("solve", problem, "--solver", "NBGS", "--tolerance", "1e-12", "--reaction-out", out)
        with open(out, encoding="utf-8") as file:
            values = [float(line) for line in file]
        for value, expected in zip(values, [1.0, -0.2, 0.0], strict=True):
            self.assertAlmostEqual(value, expected, delta=1e-9)
        self.run_program("solve", problem, problem, "--reaction-out", out, code=2)

    def write_global(self, name, change=lambda file: None):
        """The same as a global problem: the mass may be any matrix."""
        with h5py.File(self.path(name), "w") as file:
            file["fclib_global/spacedim"] = [3]
            for matrix, x in (("M", [1.0, 1.0, 1.0]), ("H", [1.0, 1.0, 1.0])):
                for key, value in {"m": [3], "n": [3], "nz": [3], "nzmax": [3], "p": [0, 1, 2], "i": [0, 1, 2]}.items():
                    file[f"fclib_global/{matrix}/{key}"] = value
                file[f"fclib_global/{matrix}/x"] = x
            file["fclib_global/vectors/mu"] = [0.5]
            file["fclib_global/vectors/f"] = [-1.0, 0.2, 0.0]
            file["fclib_global/vectors/w"] = [0.0, 0.0, 0.0]
            change(file)
        return self.path(name)

    def test_global_problems_are_solved_and_refused(self):
        def heavy(file):
            file["fclib_global/M/x"][:] = [1.0, 2.0, 3.0]

        out = self.path("reaction.txt")
        for name, change, push in (("points.h5", lambda file: None, 0.2), ("any.h5", heavy, 0.2)):
            done = self.run_program("solve", self.write_global(name, change), "--solver", "NBGS", "--tolerance", "1e-12", "--reaction-out", out)
            self.assertEqual("condensed" in done.stderr, change is heavy)
            with open(out, encoding="utf-8") as file:
                values = [float(line) for line in file]
            for value, expected in zip(values, [1.0, -push, 0.0], strict=True):
                self.assertAlmostEqual(value, expected, delta=1e-9)

        def indefinite(file):
            file["fclib_global/M/x"][:] = [1.0, -1.0, 1.0]

        def rolling(file):
            file.move("fclib_global", "fclib_global_rolling")

        def short(file):
            del file["fclib_global/vectors/w"]

        for change, said in ((indefinite, "not positive definite"), (rolling, "rolling"), (short, "vectors/w")):
            self.assertIn(said, self.run_program("solve", self.write_global("bad.h5", change), code=2).stderr)

    def test_steps_that_fclib_cannot_express_say_so(self):
        said = self.run_program("run", self.path("stop.xml", """<scenario><options duration="0.02"/><shape type="plane"/>
          <body name="a" position="0 0 0.05"><shape type="sphere" radius="0.05" mass="1"/></body>
          <body name="b" position="0.5 0 0.5"><shape type="sphere" radius="0.05" mass="1"/></body>
          <joint name="j" type="prismatic" base="world" follower="b" position="0.5 0 0.5" axis="0 0 1"><limit lower="0"/></joint></scenario>"""),
                                "--dump-problems", "every=10", "-o", "out").stdout
        self.assertIn("rows with bounds that act", said)
        with h5py.File(self.path("out/stop/problems/step-000010.h5")) as file:
            self.assertNotIn("fclib_local", file)
            self.assertIn("limits", file["grashof/left_out"][()].decode())

    def test_what_is_worse_than_no_impulse_says_so(self):
        def heavy(file):  # pushed hardly, of rows that differ by 1e8
            file["fclib_local/W/x"][:] = [1e-4, 1e4, 1e4]
            file["fclib_local/vectors/q"][:] = [-1e-6, 1.0, 0.0]

        for solver, iterations, status, worse in (("ADMM-CCP", "1", "limit", True), ("NEWTON-NCP", "100", "solved", False)):
            arguments = ["solve", self.write_problem("heavy.h5", heavy), "--solver", solver, "--max-iterations", iterations]
            row = json.loads(self.run_program(*arguments, "--json").stdout)[0]
            self.assertEqual((row["status"], row["worse_than_none"]), (status, worse))
            self.assertEqual("worse than no impulse" in self.run_program(*arguments).stdout, worse)

    def test_runs_count_steps_that_are_worse_than_no_impulse_and_warn_of_them(self):
        said = self.run_program("run", self.path("light.xml", """<scenario><options duration="0.1" integrator="moreau"/>
          <solver name="ADMM-CCP" max-iterations="1"/><shape type="plane"/>
          <body name="a" position="0 0 0.05"><shape type="sphere" radius="0.05" mass="1e-4"/></body></scenario>"""), "-o", "out").stdout
        with open(self.path("out/light/summary.json"), encoding="utf-8") as file:
            steps = json.load(file)["iterations"]
        self.assertEqual(steps["solved"], 0)
        self.assertGreater(steps["worse_than_none"], 0)
        self.assertIn(f"{steps['worse_than_none']} worse than no impulse at all", said)

    def test_forms_of_the_matrix(self):
        def triplets(file):
            del file["fclib_local/W/nz"], file["fclib_local/W/p"]
            file["fclib_local/W/nz"] = [3]
            file["fclib_local/W/p"] = [0, 1, 2]

        def rows(file):
            file["fclib_local/W/nz"][0] = -2

        for change in (triplets, rows):
            done = self.run_program("solve", self.write_problem("form.h5", change), "--json")
            self.assertEqual(json.loads(done.stdout)[0]["status"], "solved")

    def test_bad_problem_files_exit_2(self):
        def replaced(name, value):
            def change(file):
                del file["fclib_local/" + name]
                if value is not None:
                    file["fclib_local/" + name] = value
            return change

        nan = float("nan")
        bad = {"missing": replaced("vectors/q", None), "short": replaced("vectors/q", [1.0]),
               "nan": replaced("vectors/q", [nan, 0.0, 0.0]), "negative": replaced("vectors/mu", [-0.5]),
               "empty": replaced("vectors/mu", []), "plane": replaced("spacedim", [2]),
               "size": replaced("W/m", [6]), "infinite": replaced("W/x", [1.0, float("inf"), 1.0]),
               "index": replaced("W/i", [0, 1, 7]), "pointer": replaced("W/p", [0, 3, 2, 3]),
               "indices": replaced("W/p", [0, 1]), "values": replaced("W/x", [1.0]),
               "diagonal": replaced("W/x", [1.0, 0.0, 1.0]), "text": replaced("vectors/mu", ["a"]),
               "no W": replaced("W", None), "form": replaced("W/nz", [-7]), "triplets": replaced("W/nz", [99]),
               "unsymmetric": replaced("W/i", [1, 1, 2])}
        files = [self.write_problem(f"{name}.h5", change) for name, change in bad.items()]
        whole = self.write_problem("whole.h5")
        with open(whole, "rb") as file:
            content = file.read()
        for name, data in {"truncated.h5": content[:900], "text.h5": b"hello", "nothing.h5": b""}.items():
            with open(self.path(name), "wb") as file:
                file.write(data)
            files.append(self.path(name))
        files.append(self.path("absent.h5"))
        with h5py.File(self.path("other.h5"), "w") as file:
            file["x"] = [1]
        files.append(self.path("other.h5"))
        for path in files:
            done = self.run_program("solve", path, code=2)
            self.assertIn(os.path.basename(path), done.stderr)
            self.assertRegex(done.stderr, r"\(.*\)|is missing|does not|has an entry|cannot be|needs|names", path)
        self.run_program("solve", whole, "--solver", "nonsense", code=2)
        self.run_program("solve", whole, "--tolerance", "0", code=2)

    @unittest.skipUnless(os.path.isdir(SOURCE + "/../shared/ncp"), "../shared/ncp is not there")
    def test_real_problems_from_another_code(self):
        files = sorted(glob.glob(SOURCE + "/../shared/ncp/*.hdf5"))
        rows = json.loads(self.run_program("solve", *files, "--solver", "ADMM,ADMM-NCP-SA", "--tolerance", "1e-6",
                                           "--json").stdout)
        unsolved = {os.path.basename(row["file"]) for row in rows if row["status"] != "solved"}
        self.assertLessEqual(unsolved, {"Confeti-ex03.hdf5"})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
