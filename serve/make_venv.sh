#!/bin/sh
# Creates .venv with the oldest suitable Python and installs a requirements file into it.
# In: the name of a requirements file. Out: .venv is ready, or one line says what is missing.
set -eu

fail() {
    echo "arboretum: $1" >&2
    exit 1
}

requirements=$1
needed_mebibytes=1000

if ! .venv/bin/python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    # The oldest first, because wheels are most likely to exist for it.
    chosen=
    problem="Python 3.11 or newer is required, but there is no python3 on the PATH."
    for candidate in ${PYTHON:-python3.11 python3.12 python3.13 python3.14 python3}; do
        version=$("$candidate" -c 'import platform; print(platform.python_version())' 2>/dev/null) || continue
        if ! "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
            problem="Python 3.11 or newer is required, but $candidate is $version; choose another with PYTHON=..."
        elif ! "$candidate" -c 'import ensurepip, venv' 2>/dev/null; then
            problem="$candidate ($version) has no venv module; on Debian: apt-get install python3-venv"
        else
            chosen=$candidate
            break
        fi
    done
    [ -n "$chosen" ] || fail "$problem"

    free=$(df -Pk . | awk 'NR == 2 { print int($4 / 1024) }')
    [ "$free" -ge "$needed_mebibytes" ] ||
        fail "Not enough disk space: $free MiB are free here; $needed_mebibytes MiB are needed for .venv."

    echo "Creating .venv with $chosen ($version)"
    # Remains of an interrupted attempt would break the new environment.
    rm -rf .venv
    "$chosen" -m venv .venv || fail "The virtual environment .venv could not be created; see above."
fi

echo "Installing $requirements"
# Python compiles modules on first import; compiling everything would take as long as installing.
.venv/bin/python -m pip install -qq --disable-pip-version-check --no-input --no-compile -r "$requirements" ||
    fail "The packages could not be installed; see above. Is the package index reachable, is the disk full?"
