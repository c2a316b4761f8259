#!/usr/bin/env bash
# clang-tidy over all sources that are built here, as .clang-tidy says. It reads them together, as the unity build of
# build/tidy has them: the checks walk over every header that a file includes, which takes nearly all of their time.
set -euo pipefail
cd "$(dirname "$0")/.."
cmake --preset tidy >/dev/null
mapfile -t files < <(find build/tidy -path '*/Unity/*.cxx' | sort)
# Files that are not read together, one by one.
mapfile -t single < <(/usr/bin/python3 - <<'END'
import json, os
for entry in json.load(open("build/tidy/compile_commands.json")):
    name = os.path.relpath(entry["file"])
    if not name.startswith(("build/", "tests/")):
        print(name)
END
)
printf '%s\n' "${files[@]}" "${single[@]}" |
  xargs -P "$(nproc)" -n 1 clang-tidy -p build/tidy --quiet --warnings-as-errors='*' --checks=-bugprone-suspicious-include \
    2>/dev/null
