#!/usr/bin/env python3
"""validate.py [FILE...]: the case files against case.schema.json, with an off-the-shelf validator.

Needs PyYAML and jsonschema (Debian: python3-yaml, python3-jsonschema).  Exit code 1: a file breaks
the schema, 2: a module is missing.
"""
import json
import pathlib
import re
import sys

try:
    import jsonschema
    import yaml
except ImportError as missing:
    print("schema: there is no module %s; `make deps` installs it" % missing.name, file=sys.stderr)
    sys.exit(2)

HERE = pathlib.Path(__file__).resolve().parent
SCHEMA = json.loads((HERE.parent / "case.schema.json").read_text(encoding="utf-8"))


def check_keys():
    """The schema has the keys that the loader has, and explains them in the same words."""
    rows = re.findall(r'^KEY\((\w+),\s+"\w+", "((?:[^"\\]|\\.)*)"\)',
                      (HERE.parent / "case_keys.def").read_text(encoding="utf-8"), re.M)
    wanted = {name: text.replace('\\"', '"') for name, text in rows}
    got = {name: key["description"]
           for name, key in SCHEMA["$defs"]["keys"]["properties"].items()}
    for name in sorted(set(wanted) | set(got)):
        if wanted.get(name) != got.get(name):
            print("schema: key %s is not as in case_keys.def" % name)
    return wanted != got


def main():
    files = [pathlib.Path(name) for name in sys.argv[1:]] or sorted(HERE.glob("*.yaml"))
    validator = jsonschema.Draft202012Validator(SCHEMA)
    bad = int(check_keys())
    for file in files:
        document = yaml.safe_load(file.read_text(encoding="utf-8"))
        for error in validator.iter_errors(document):
            bad += 1
            print("%s: %s: %s" % (file, "/".join(str(part) for part in error.absolute_path),
                                  error.message[:200]))
    print("schema: %d files, %d faults" % (len(files), bad))
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
