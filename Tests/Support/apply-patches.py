"""Applies JSON Patches with the Python library jsonpatch.

Each line of the input is an object with "before", "patch" and "after".
"""

import json
import sys

import jsonpatch

for number, line in enumerate(sys.stdin):
    case = json.loads(line)
    result = jsonpatch.apply_patch(case["before"], case["patch"])
    if result != case["after"]:
        sys.exit(f"case {number}: {line}the result is {json.dumps(result)}")
