#!/usr/bin/env python3
"""act.py ACTION.yml [NAME=VALUE]...: run the steps of a composite action here, as a runner would, for tests.
act.py GITLAB.yml JOB: the same for a job's template of GitLab CI, whose variables are those of the environment.

NAME is an input (inputs.files) or of the context (github.action_path); a context that is not given is empty.  Exit code: that of
the first step that fails.
"""
import os
import re
import subprocess
import sys

import yaml


def gitlab(jobs, name):
    """All lines of a job in one shell, those of the job that it extends first."""
    job = {**jobs[jobs[name]["extends"]], **jobs[name]}
    env = {**{key: str(value) for key, value in job["variables"].items()}, **os.environ}
    return subprocess.run(["sh", "-e", "-c", "\n".join(job["before_script"] + job["script"])], env=env, check=False).returncode


def main(path, *settings):
    with open(path, encoding="utf-8") as file:
        action = yaml.safe_load(file)
    if "runs" not in action:
        return gitlab(action, *settings)
    known = {"inputs." + name: one.get("default", "") for name, one in action["inputs"].items()}
    for setting in settings:
        name, _, value = setting.partition("=")
        if name.startswith("inputs.") and name not in known:
            sys.exit("act: %s has no %s" % (path, name))
        known[name] = value
    missing = ["inputs." + name for name, one in action["inputs"].items() if one.get("required") and not known["inputs." + name]]
    if missing:
        sys.exit("act: %s wants %s" % (path, ", ".join(missing)))

    def filled(text):
        return re.sub(r"\$\{\{ *([\w.]+) *\}\}", lambda found: known.get(found[1], ""), str(text))

    for step in action["runs"]["steps"]:
        assert "${{" not in step["run"], "an input belongs in env, where no shell reads it"
        env = dict(os.environ, **{name: filled(value) for name, value in step.get("env", {}).items()})
        done = subprocess.run([step["shell"], "-e", "-c", step["run"]], env=env, check=False)
        if done.returncode:
            return done.returncode
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
