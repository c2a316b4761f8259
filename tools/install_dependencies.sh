#!/usr/bin/env bash
# Installs the Debian packages that building needs, those that are missing only. Arguments: further packages.
set -euo pipefail
packages=(g++ cmake ninja-build pkg-config libeigen3-dev libbullet-dev libtinyxml2-dev libfmt-dev
  nlohmann-json3-dev libhdf5-dev libtbb-dev libboost-dev libnlopt-dev libnlopt-cxx-dev libcli11-dev libassimp-dev libyaml-cpp-dev libsdformat-dev libcpp-httplib-dev zlib1g-dev libjs-three doctest-dev "$@")
missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q '^install ok installed' || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0
run=()
[ "$(id -u)" -eq 0 ] || run=(sudo)
echo "installing: ${missing[*]}"
"${run[@]}" apt-get update -qq
DEBIAN_FRONTEND=noninteractive "${run[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
