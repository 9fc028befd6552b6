#!/usr/bin/env bash
# Checks the generated code, which generation itself does not: the Python of each oracle with warnings as errors, and
# each backend, also once with a cost library built with warnings as errors.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$PWD
python=$root/.venv/bin/python
[ -x "$python" ] || python=python3
export PYTHONPATH=$root/python
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cat > model.c <<'C'
#include <stdio.h>
#include <string.h>
int act_cost(const char *asm_path, double *cost);
int act_cost(const char *asm_path, double *cost) {
  FILE *file = fopen(asm_path, "r");
  char line[4096];
  if (file == NULL) return 1;
  *cost = 0;
  while (fgets(line, sizeof line, file) != NULL) *cost += strstr(line, "api.") != NULL;
  fclose(file);
  return 0;
}
C
cc -std=c11 -Wall -Wextra -Wpedantic -Werror -fPIC -c model.c -o model.o
for spec in "$root"/accelerators/*/QKV*.py; do
  folder=$(basename "$(dirname "$spec")")
  mkdir "$folder"
  cp "$spec" "$folder/"
  (cd "$folder" && "$python" -W error "$(basename "$spec")")
  "$python" -W error -m compileall -q -f "$folder/targets"
  (cd "$folder/targets/QKV" && "$python" -W error -c "import oracle; oracle.api, oracle.decorator.kernel")
  kernel=$root/accelerators/$folder/kernels/attention.hlo
  "$folder/backends/QKV" --input "$kernel" --output "$folder/attention.py"
  "$python" -W error -m compileall -q -f "$folder/attention.py"
  "$root/build/bin/act" generate "$folder/targets/QKV/backend/QKV.taidl" --base-dir "$folder" --cost model.o > /dev/null
  "$folder/backends/QKV" --input "$kernel" --output "$folder/again.py"
  cmp "$folder/attention.py" "$folder/again.py"
  echo "$folder: oracle, backend, and backend with a cost library are clean"
done
