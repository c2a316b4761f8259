"""Installs the Python module: pip install tools/python. CMake builds the extension."""

import glob
import os
import re
import shutil
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

SOURCE = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))


# What every Linux of a wheel's kind has by itself.
SYSTEM = re.compile(r"(ld-linux.*|lib(c|m|dl|rt|pthread|util|resolv|gcc_s|stdc\+\+))\.so")


def carry_libraries(package):
    """Copies the shared libraries that the module needs into the package, and has it look there; needs patchelf."""
    module = glob.glob(os.path.join(package, "_core*.so"))[0]
    needed = {}
    for name, path in re.findall(r"(\S+) => (/\S+)", subprocess.run(["ldd", module], check=True, capture_output=True, text=True).stdout):
        if not SYSTEM.match(name):
            needed[name] = path
    folder = os.path.join(package, "libraries")
    os.makedirs(folder, exist_ok=True)
    for name, path in needed.items():
        copy = os.path.join(folder, name)
        shutil.copyfile(path, copy)
        subprocess.run(["patchelf", "--set-rpath", "$ORIGIN", copy], check=True)
    subprocess.run(["patchelf", "--set-rpath", "$ORIGIN/libraries", module], check=True)


class CMakeBuild(build_ext):
    def build_extension(self, extension):
        target = os.path.abspath(os.path.dirname(self.get_ext_fullpath(extension.name)))
        build = os.path.abspath(os.environ.get("GRASHOF_BUILD", os.path.join(self.build_temp, "cmake")))
        subprocess.run(["cmake", "-S", SOURCE, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                        "-DCMAKE_CXX_FLAGS_RELEASE=-O3 -DNDEBUG", "-DGRASHOF_PYTHON=ON", "-DGRASHOF_TOOLS=OFF",
                        "-DGRASHOF_TESTS=OFF", "-DGRASHOF_PEERS=OFF", "-DGRASHOF_PYTHON_FOLDER=.",
                        f"-DPython_EXECUTABLE={sys.executable}"], check=True)
        subprocess.run(["cmake", "--build", build, "--target", "grashof_python"], check=True)
        subprocess.run(["cmake", "--install", build, "--component", "python", "--prefix", os.path.dirname(target)],
                       check=True)
        if shutil.which("patchelf"):
            carry_libraries(os.path.join(target, "grashof") if os.path.basename(target) != "grashof" else target)
        else:
            print("patchelf is not there: the module will use the libraries of this machine", file=sys.stderr)


setup(
    name="grashof",
    version=re.search(r"project\(grashof VERSION ([0-9.]+)", open(os.path.join(SOURCE, "CMakeLists.txt")).read())[1],
    description="Mechanisms with closed loops",
    python_requires=">=3.9",
    install_requires=["numpy"],
    extras_require={"sparse": ["scipy"], "gym": ["gymnasium"]},
    packages=["grashof"],
    package_data={"grashof": ["py.typed", "*.pyi"]},
    ext_modules=[Extension("grashof._core", sources=[])],
    cmdclass={"build_ext": CMakeBuild},
)
