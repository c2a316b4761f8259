# Makes the program and the Python module of a clone known to a shell: . tools/env.sh
root=$(cd "$(dirname "${BASH_SOURCE[0]:-$0}")/.." && pwd)
export PATH="$root/build/release:$PATH" PYTHONPATH="$root/build/release/python${PYTHONPATH:+:$PYTHONPATH}"
unset root
