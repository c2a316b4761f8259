"""Solo-12 trots, on flat and on bumpy, slippery ground, with one solver after the other [Lidec 2024, figs. 18, 19].

Usage: solo12.py PROGRAM solo12.urdf [--out FOLDER] [--speed 0.3] [--duration 10] [--solvers …] [--grounds flat,bumpy]

The robot is not part of this repository: its URDF and meshes are public (example-robot-data). PROGRAM: grashof, which
converts it; the controller is that of tools/python/examples/trot.py, with the motors' 2.7 N m.
"""

import importlib.util
import os
import re
import subprocess
import sys

import grashof

SOURCE = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
spec = importlib.util.spec_from_file_location("trot", os.path.join(SOURCE, "tools", "python", "examples", "trot.py"))
trot = importlib.util.module_from_spec(spec)
spec.loader.exec_module(trot)

LEGS = ("FL", "FR", "HL", "HR")
FOOT = 0.0165  # m, under its centre
HIP_TO_FOOT = 2 * 0.16 * 0.6967  # m, with hips at 0.8 rad


def prepare(program, urdf, folder):
    """Converts the robot; its text with motors and bent knees, without a ground."""
    converted = os.path.join(folder, "solo12.xml")
    subprocess.run([program, "convert", urdf, "--floating-base", "-o", converted], check=True, capture_output=True, text=True)
    with open(converted, encoding="utf-8") as file:
        text = file.read()
    text = re.sub(r'(<joint name="[FH][LR]_(?:HAA|HFE|KFE)".*?)(</joint>)', r'\1<actuator type="effort" motion="none"/>\2', text, flags=re.DOTALL)
    knees = "".join(f'<input joint="{leg}_HAA" value="0"/><input joint="{leg}_HFE" value="0.8"/><input joint="{leg}_KFE" value="-1.6"/>' for leg in LEGS)
    text = re.sub(r"<solver [^>]*/>|<material name=\"default\"[^>]*/>|<options [^>]*/>", "", text)
    return text.replace("</scenario>", f'<assemble><pin body="base_link"/>{knees}</assemble><motion name="none" type="constant" value="0"/></scenario>')


def maker(text, speed):
    def make(folder, ground, solver, duration):
        path = os.path.join(folder, f"{ground}-{solver}.xml")
        head = (f'<options timestep="0.001" duration="{duration}"/><solver name="{solver}"/><material name="default" friction="{trot.GROUNDS[ground]}"/>'
                + trot.ground_of(folder, ground, -HIP_TO_FOOT - FOOT))
        with open(path, "w", encoding="utf-8") as file:
            file.write(re.sub(r"(<scenario[^>]*>)", lambda m: m[1] + head, text, count=1))
        scenario = grashof.load(path)
        feet = [(f"{leg}_LOWER_LEG", (0.0, 0.008 if leg[1] == "L" else -0.008, -0.16)) for leg in LEGS]
        controller = trot.Trot(scenario, feet, (speed, 0.0), 0.7 * trot.GROUNDS[ground], limit=2.7)
        controller.lift, controller.period = 0.05, 0.32
        return scenario, controller

    return make


if __name__ == "__main__":
    program, urdf, *rest = sys.argv[1:]
    options = trot.arguments(__doc__.partition("\n")[0], "results/solo12", 0.3).parse_args(rest)
    os.makedirs(options.out, exist_ok=True)
    trot.compare(options.out, options.grounds.split(","), options.solvers.split(","), options.duration,
                 maker(prepare(os.path.abspath(program), urdf, options.out), options.speed))
