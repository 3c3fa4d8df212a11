#!/usr/bin/env python3
"""generate.py [--check] PROBETEST: the pages that are made from the table: docs/known-bugs.md and versions.md.

--check: say which of them is not what it would be.
"""
import json
import os
import re
import subprocess
import sys

DOCS = os.path.dirname(os.path.abspath(__file__))
MADE = "<!-- made by docs/generate.py: `make docs` -->\n"
ISSUE = "https://github.com/kubernetes/kubernetes/issues/"


def number(version):
    return tuple(map(int, version.split(".")))


def minor(version):
    return ".".join(version.split(".")[:2])


def span(one):
    if one.get("until"):
        return "%s to %s" % (one["since"], one["until"]) if one["since"] != one["until"] else one["since"]
    return one["since"] + " and later"


def known_bugs(data):
    yield "# Known bugs of the kubelet\n\n" + MADE
    yield "What users see, in which versions, and where it is discussed. Each stands in the table as it was shipped:\n"
    yield "`probetest explain K-10` tells more of one, `probetest run --bug K-10` plays its cases.\n"
    yield "\n| bug | what users see | versions | issues |\n|---|---|---|---|\n"
    for bug in data["bugs"]:
        issues = " ".join("[%s](%s%s)" % (issue, ISSUE, issue) for issue in bug["issues"])
        yield "| %s | %s | %s | %s |\n" % (bug["id"], bug["what"].replace("|", "\\|"), span(bug), issues)


def versions(data):
    yield "# What changes from minor to minor\n\n" + MADE
    yield "For the probes of a pod, from the rules that begin, end or change there and the known bugs that come and go. "
    yield "Changes inside a minor\nstand with that minor. `probetest simulate --k8s 1.34,1.35 pod.yaml` shows the difference for a pod of yours.\n"
    minors = sorted({minor(change) for rule in data["rules"] for change in rule["changes"]} |
                    {minor(bug["since"]) for bug in data["bugs"]}, key=number, reverse=True)
    oldest = min((one["since"] for one in data["rules"]), key=number)
    for one in minors:
        lines = []
        for rule in data["rules"]:
            at = [change for change in rule["changes"] if minor(change) == one]
            if not at:
                continue
            new = "new" if rule["since"] in at and number(minor(rule["since"])) > number(oldest) else "changed"
            places = [change for change in at if change != one]
            lines.append("- %s: %s (%s)%s\n" % (new, rule["sentence"], rule["id"], ", at " + ", ".join(places) if places else ""))
        for bug in data["bugs"]:
            if minor(bug["since"]) == one and one != oldest:
                lines.append("- bug from %s: %s (%s)\n" % (bug["since"], bug["what"], bug["id"]))
            if bug.get("until") and minor(bug["until"]) == one:
                lines.append("- bug until %s: %s (%s)\n" % (bug["until"], bug["what"], bug["id"]))
        if lines:
            yield "\n## %s\n\n" % one
            yield from sorted(lines, key=lambda line: not line.startswith("- new"))


def main(arguments):
    check = "--check" in arguments
    probetest = [one for one in arguments if one != "--check"][0]
    data = json.loads(subprocess.run([probetest, "export", "--rules"], stdout=subprocess.PIPE, check=True).stdout)
    for bug in data["bugs"]:
        bug["what"] = bug["what"].removeprefix("silent: ")  # why no case shows it
    stale = []
    for name, page in (("known-bugs.md", known_bugs), ("versions.md", versions)):
        path = os.path.join(DOCS, name)
        text = "".join(page(data))
        before = open(path, encoding="utf-8").read() if os.path.exists(path) else None
        if text == before:
            continue
        stale.append(name)
        if not check:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
    if check and stale:
        print("docs: %s: the rules say otherwise now; `make docs` writes them" % ", ".join(stale), file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
