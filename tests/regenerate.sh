#!/usr/bin/env bash
# Rewrites the golden hashes accelerators/*/tests/golden.json from the compiled kernels, and in them what produced them.
#   tests/regenerate.sh [QKV] [QKV_new]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
python=.venv/bin/python
[ -x "$python" ] || python=python3
PYTHONPATH=python:tests/python JAX_PLATFORMS="${JAX_PLATFORMS:-cpu}" exec "$python" tests/python/compiled_kernels.py "$@"
