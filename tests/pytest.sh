#!/usr/bin/env bash
# Runs the Python tests: each accelerator generated, compiled and simulated in a temporary folder.
#   tests/pytest.sh [pytest arguments]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
python=.venv/bin/python
[ -x "$python" ] || python=python3
JAX_PLATFORMS="${JAX_PLATFORMS:-cpu}" exec "$python" -m pytest "$@"
