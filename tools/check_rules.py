"""Checks rules of assets/docs/developers.md that no compiler checks: the length of files and functions, and a test for
each source file. Exit code 1: a rule is broken."""

import os
import re
import subprocess
import sys

MAX_FILE, MAX_FUNCTION = 600, 60

# Sources that another test covers: its file, from tests/ on.
TESTED_ELSEWHERE = {
    r"joints/types/\w+": "joints/types/test_joint_types.cpp",
    r"joints/part_slopes": "engine/dynamics/kinematics/test_joint_slopes.cpp",
    r"engine/model/(place_\w+|defects)": "engine/model/test_model_builder.cpp",
    r"engine/scenario/schema_\w+": "engine/scenario/test_schema.cpp",
    r"engine/scenario/display_units": "engine/scenario/test_units.cpp",
    r"engine/scenario/(context|xml_defect)": "engine/scenario/test_malformed.cpp",
    r"engine/scenario/write_\w+": "engine/scenario/test_writer.cpp",
    r"engine/results/(record_tables|trajectory_layout)": "engine/results/test_trajectory.cpp",
    r"engine/results/checkpoint": "engine/test_run.cpp",
    r"engine/study/(evaluate|factor|page|process_farm|report|rows|study_file|table)": "engine/study/test_study.cpp",
    r"engine/base/(body|instruction_set)": "engine/dynamics/kinematics/test_free_rotation.cpp",
    r"engine/dynamics/\w+/(contact_slopes|coupling_slopes|step_slopes)": "engine/dynamics/derivative/test_step_derivative.cpp",
    r"engine/dynamics/(contact_motion|step/contact_step|step/passive_blows)": "physics/test_blows_in_flight.cpp",
    r"engine/dynamics/rows/clearance_contacts": "physics/test_body_balance.cpp",
    r"engine/dynamics/kinematics/force_length": "engine/dynamics/rows/test_force_rows.cpp",
    r"engine/dynamics/account/motor_ledger": "physics/test_motors.cpp",
    r"engine/dynamics/(rows/step_record|simulator_loads)": "engine/dynamics/test_simulator.cpp",
    r"engine/dynamics/smooth/constrained_motion_record": "engine/dynamics/smooth/test_smooth_motion.cpp",
    r"engine/dynamics/smooth/constrained_motion_implicit": "engine/dynamics/smooth/test_backward_differences.cpp",
    r"engine/dynamics/smooth/smooth_system": "engine/dynamics/smooth/test_smooth_motion.cpp",
    r"engine/dynamics/rows/velocity_rows": "physics/test_body_balance.cpp",
    r"contacts/(advancement|body_path|collision_item|exposure)": "contacts/test_swept_pair.cpp",
    r"contacts/(curvature|minkowski|narrow_gap|overlap|point_distance)": "contacts/test_distance.cpp",
    r"contacts/mesh_(contacts|pair_contacts|defects)": "physics/test_mesh_rest.cpp",
    r"contacts/(pressure_field|shape_shell)": "contacts/test_patch.cpp",
    r"solvers/\w+/\w+_(avx2|portable)": "engine/test_determinism.cpp",
    r"solvers/problem/regularization": "solvers/problem/test_dual_problem.cpp",
}


def functions(lines):
    """Start and length of each function of a file that clang-format has laid out."""
    start = None
    for number, line in enumerate(lines):
        if line == "}" and start is not None:
            yield start + 1, number - start - 1
            start = None
        elif line.endswith("{") and start is None:
            first = number  # of the signature, which may have several lines
            while first > 0 and lines[first].startswith(" "):
                first -= 1
            if re.match(r"(?!namespace|class|struct|enum|union|extern|public|private)[A-Za-z].*\(", lines[first]) and not (
                    " = " in lines[first] or first < number and re.search(r"[;{}]$", lines[first])):
                start = number
        elif line == "};":
            start = None


def main():
    os.chdir(os.path.join(os.path.dirname(__file__), ".."))
    listed = subprocess.run(["git", "ls-files"], capture_output=True, text=True, check=True).stdout.split("\n")
    files = [name for name in listed if re.search(r"\.(cpp|h|py|js|mjs|sh)$", name) and os.path.exists(name)]
    tests = {os.path.basename(name) for name in files if name.startswith("tests/")}
    broken, used = [], set()
    for name in files:
        with open(name, encoding="utf-8") as file:
            lines = file.read().split("\n")
        if len(lines) - 1 > MAX_FILE:
            broken.append(f"{name}: {len(lines) - 1} lines (at most {MAX_FILE}: split it by concept)")
        if re.search(r"^(?!tests/).*\.(cpp|h)$", name):
            broken += [f"{name}:{at}: a function of {length} lines (at most {MAX_FUNCTION}: name its parts)"
                       for at, length in functions(lines) if length > MAX_FUNCTION]
        source = re.match(r"((?:engine|joints|contacts|solvers)/.*)\.cpp$", name)
        if not source or f"test_{os.path.basename(name)}" in tests:
            continue
        elsewhere = [(rule, test) for rule, test in TESTED_ELSEWHERE.items() if re.fullmatch(rule, source.group(1))]
        used |= {rule for rule, _ in elsewhere}
        if not elsewhere:
            broken.append(f"{name}: no tests/…/test_{os.path.basename(name)} (write it, or say in {__file__} what tests it)")
        broken += [f"{name}: tests/{test} is not there" for _, test in elsewhere if not os.path.exists("tests/" + test)]
    broken += [f"{os.path.basename(__file__)}: '{rule}' fits no source without a test of its own (remove it)"
               for rule in TESTED_ELSEWHERE if rule not in used]
    print("\n".join(broken) or f"{len(files)} files keep the rules of length and tests")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
