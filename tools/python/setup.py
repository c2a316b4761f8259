"""Installs the Python module: pip install tools/python. CMake builds the extension."""

import os
import re
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

SOURCE = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))


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
