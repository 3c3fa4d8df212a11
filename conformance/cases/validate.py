#!/usr/bin/env python3
"""validate.py [FILE...]: the case files against case.schema.json, with an off-the-shelf validator.
validate.py --export PROBETEST: what `probetest export`, `lint` and `why` write against schema/*.json.

Needs PyYAML and jsonschema (Debian: python3-yaml, python3-jsonschema).  Exit code 1: a file breaks
the schema, 2: a module is missing.
"""
import json
import pathlib
import re
import subprocess
import sys

try:
    import jsonschema
    import yaml
except ImportError as missing:
    print("schema: there is no module %s; `make deps` installs it" % missing.name, file=sys.stderr)
    sys.exit(2)

HERE = pathlib.Path(__file__).resolve().parent
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # on libyaml where it was built with it
SCHEMA = json.loads((HERE.parent / "case.schema.json").read_text(encoding="utf-8"))


def check_keys():
    """The schema has the keys that the loader has, and explains them in the same words."""
    rows = re.findall(r'^KEY\((\w+),\s+"\w+", "((?:[^"\\]|\\.)*)"\)',
                      (HERE.parent / "table" / "case_keys.def").read_text(encoding="utf-8"), re.M)
    wanted = {name: text.replace('\\"', '"') for name, text in rows}
    got = {name: key["description"]
           for name, key in SCHEMA["$defs"]["keys"]["properties"].items()}
    for name in sorted(set(wanted) | set(got)):
        if wanted.get(name) != got.get(name):
            print("schema: key %s is not as in case_keys.def" % name)
    return wanted != got


def schema(name):
    text = (HERE.parent / "schema" / name).read_text(encoding="utf-8")
    return jsonschema.Draft202012Validator(json.loads(text))


def count_errors(what, validator, document):
    """Print what is wrong with a document; how many faults."""
    faults = list(validator.iter_errors(document))
    for error in faults:
        print("%s: %s: %s" % (what, "/".join(str(part) for part in error.absolute_path),
                              error.message[:200]))
    return len(faults)


def check_lint(probetest):
    """Findings of a good file, a refused one and one that cannot be read, in both formats."""
    files = [str(HERE.parent / name) for name in ("examples/unwise.yaml", "examples/web.yaml", "cases/README.md")]
    refused = 'apiVersion: v1\nkind: Pod\nmetadata: {name: "\u00e9 %"}\nspec: {containers: [{name: c}]}\n'

    def output(form):
        return subprocess.run([probetest, "lint", "--format", form, *files, "-"], input=refused,
                              check=False, capture_output=True, text=True).stdout

    sarif = json.loads(output("sarif"))
    lines = [json.loads(line) for line in output("json").splitlines()]
    run = sarif["runs"][0]
    bad = count_errors("sarif", schema("lint.sarif.json"), sarif)
    bad += sum(count_errors("lint", schema("lint.finding.json"), line) for line in lines)
    reported = [result for result in run["results"] if "suppressions" not in result]
    rules = run["tool"]["driver"]["rules"]
    # Both formats say the same, and an index leads to its rule.
    bad += [result["ruleId"] for result in reported] != [line["rule"] for line in lines]
    bad += any(rules[result["ruleIndex"]]["id"] != result["ruleId"] for result in run["results"])
    bad += run["invocations"][0]["executionSuccessful"] or len(reported) == len(run["results"])
    print("schema: lint as SARIF and JSON, %d findings, %d faults" % (len(lines), bad))
    return bad > 0


def check_why(probetest):
    """What is said of each history, and each cause that it names."""
    histories = sorted(str(path) for path in (HERE.parent / "why" / "golden").glob("*.yaml"))
    lines = []
    for history in histories:
        text = subprocess.run([probetest, "why", "--json", history], check=True,
                              capture_output=True, text=True).stdout
        lines += [json.loads(line) for line in text.splitlines()]
    causes = re.findall(r'^CAUSE\(\w+,\s+"([a-z-]+)"',
                        (HERE.parent / "why" / "cause.def").read_text(encoding="utf-8"), re.M)
    bad = sum(count_errors("why: " + line["pod"], schema("why.json"), line) for line in lines)
    bad += sum(line["cause"] not in causes for line in lines) + (len(lines) < len(histories))
    print("schema: why of %d containers, %d faults" % (len(lines), bad))
    return bad > 0


def check_export(probetest):
    """Each line of the table, and the rules as a whole."""
    def output(*options):
        return subprocess.run([probetest, "export", *options], check=True, capture_output=True,
                              text=True).stdout

    lines = [json.loads(line) for line in output().rstrip("\n").split("\n")]
    documents = [(line.get("id", "heading"), "export.case.json", line) for line in lines]
    documents.append(("rules", "export.rules.json", json.loads(output("--rules"))))
    validators = {name: schema(name) for name in ("export.case.json", "export.rules.json")}
    bad = int(lines[0].get("cases") != len(lines) - 1)
    for name, kind, document in documents:
        bad += count_errors("export: " + name, validators[kind], document)
    print("schema: export of %d cases, %d faults" % (len(lines) - 1, bad))
    return bad > 0


def main():
    if sys.argv[1:2] == ["--export"]:
        return any([check(sys.argv[2]) for check in (check_export, check_lint, check_why)])
    files = [pathlib.Path(name) for name in sys.argv[1:]] or sorted(HERE.rglob("*.yaml"))
    validator = jsonschema.Draft202012Validator(SCHEMA)
    bad = int(check_keys())
    for file in files:
        document = yaml.load(file.read_text(encoding="utf-8"), LOADER)
        bad += count_errors(file, validator, document)
    print("schema: %d files, %d faults" % (len(files), bad))
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
