"""A pytest plugin: the cases of probetest as tests of an adapter.

In a project's conftest.py, beside this file (or with it on the path):

    pytest_plugins = ["pytest_probetest"]

and then, in a test file,

    import pytest_probetest

    test_probes = pytest_probetest.cases(["python3", "mine.py"], "--tier", "contract")

Each case is a test of its own, with its timeline where it fails; one that is not judged is skipped
with the reason.  The command `probetest` is found along PATH, or is $PROBETEST.
"""
import json
import os
import subprocess
import tempfile

import pytest


def play(adapter, *selection):
    """The lines of a result file (schema/result.json), of the cases alone."""
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "r.jsonl")
        done = subprocess.run([os.environ.get("PROBETEST", "probetest"), "run", "--quiet", "--report", report,
                               *selection, "--", *adapter], capture_output=True, text=True, check=False)
        if not os.path.exists(report) or os.path.getsize(report) == 0:
            raise pytest.UsageError(f"probetest: exit code {done.returncode}: {done.stderr}")
        with open(report, encoding="utf-8") as file:
            return [line for line in map(json.loads, file) if "case" in line]


def cases(adapter, *selection):
    """A test function with a parameter for each case; `selection` are arguments of `probetest run`."""
    played = play(adapter, *selection)

    @pytest.mark.parametrize("case", [pytest.param(case, id=f"{case['case']}@{case['k8s']}") for case in played])
    def test(case):
        if case["verdict"] in ("skip", "observed", "noisy"):
            pytest.skip(case.get("why", case["verdict"]))
        if case["verdict"] not in ("pass", "xfail"):
            pytest.fail(report_of(case), pytrace=False)

    return test


def report_of(case):
    """As `probetest run` tells a failure: what it is about, the first difference, the timeline."""
    lines = [f"{case['case']}: {case['sentence']}", f"{case['verdict']}: {case.get('why', '')}", f"rules: {' '.join(case['rules'])}"]
    for moment in case.get("timeline", []):
        mark = " " if moment["wanted"] == moment["got"] else "!"
        lines.append(f"{mark} {moment['at'] / 1000:9.3f}s  {moment['wanted']:46}  {moment['got']}")
    return "\n".join(lines)
