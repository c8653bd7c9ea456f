#!/usr/bin/env bash
# pysarif 0.1.0 changes the findings of a SARIF file that it only loads and saves: a finding that its rule makes an error
# becomes a warning, and so does a check that passed. sarif-tools 3.0.5, which follows the standard, counts both files.
#
# Expected: the file that `save_to_file(load_from_file(name))` writes means the same. A result without `level` has the
# level of its rule's `defaultConfiguration`, and one whose `kind` isn't `fail` the level `none` (section 3.27.10 of
# https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html); pysarif's README introduces the package as the way to
# load a file, to work with it, and to save it.
# Seen: before, sarif-tools counts one error and no warning; after, no error and two warnings. Where `level` is absent,
# pysarif sets "warning", the default in the JSON schema, and writes it down, where it overrides what the rule says.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pysarif==0.1.0 sarif-tools==3.0.5
cat >"$folder/before.sarif" <<'JSON'
{
  "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
  "version": "2.1.0",
  "runs": [
    {
      "tool": {
        "driver": {"name": "races", "rules": [{"id": "data-race", "defaultConfiguration": {"level": "error"}}]}
      },
      "results": [
        {"ruleId": "data-race", "ruleIndex": 0, "message": {"text": "two threads write to hits"}},
        {"ruleId": "data-race", "ruleIndex": 0, "kind": "pass", "message": {"text": "no race on total"}}
      ]
    }
  ]
}
JSON
cat >"$folder/again.py" <<'PYTHON'
from pysarif import load_from_file, save_to_file

save_to_file(load_from_file("before.sarif"), "after.sarif")
PYTHON
cd "$folder"
venv/bin/python again.py
for name in before after; do
    venv/bin/sarif summary "$name.sarif" >summary
    echo "$name: $(grep -E '^(error|warning):' summary | paste -sd ' ')" >>output
done
cat output
diff output - <<'EXPECTED' && echo "As stated."
before: error: 1 warning: 0
after: error: 0 warning: 2
EXPECTED
