#!/usr/bin/env python3
"""Stands between the runner and an adapter and holds every message against conformance/schema.

    schema_proxy.py ADAPTER ARGS...      an adapter itself: what breaks a schema is answered with an
                                         error, so that the case fails and says which
    schema_proxy.py --result FILE...     hold result files against schema/result.json

Knows as much of JSON Schema as those files use.
"""
import json
import math
import os
import re
import subprocess
import sys

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "schema")
NUMBER = (int, float)
IS_TYPE = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "number": lambda value: isinstance(value, NUMBER) and not isinstance(value, bool),
    "integer": lambda value: isinstance(value, NUMBER) and not isinstance(value, bool) and value == int(value),
}
checks = {}


def fault(value, name):
    """What is wrong with a value by the schema of that file, or None."""
    if name not in checks:
        with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
            checks[name] = check_of(json.load(file))
    return checks[name](value)


def check_of(rule):
    """A rule as a function: what is wrong with a value, from its place below the value on, or None."""
    if "$ref" in rule:
        return lambda value: fault(value, rule["$ref"])
    steps = [make(rule) for words, make in KEYWORDS if any(word in rule for word in words)]
    if len(steps) == 1:
        return steps[0]

    def check(value):
        for step in steps:
            found = step(value)
            if found:
                return found
        return None
    return check


def type_check(rule):
    names = rule["type"] if isinstance(rule["type"], list) else [rule["type"]]
    tests = [IS_TYPE[name] for name in names]
    text = f": no {' or '.join(names)}"
    if len(tests) == 1:
        return lambda value: None if tests[0](value) else text
    return lambda value: None if any(test(value) for test in tests) else text


def pattern_check(rule):
    search = re.compile(rule["pattern"]).search
    return lambda value: None if search(value) else f": {value!r} does not match {rule['pattern']}"


def range_check(rule):
    least, most = rule.get("minimum", -math.inf), rule.get("maximum", math.inf)
    return lambda value: None if least <= value <= most else f": {value} is out of range"


def one_of_check(rule):
    """Where shapes differ in the word of a member, such as `e` of an effect, it leads to those that may fit."""
    words = [{key: inner["const"] for key, inner in one.get("properties", {}).items() if "const" in inner} for one in rule["oneOf"]]
    key = next((key for one in words for key in one), None)
    every = [check_of(one) for one in rule["oneOf"]]
    wordless = [inner for one, inner in zip(words, every) if key not in one]
    by_word = {one[key]: [inner for other, inner in zip(words, every) if other.get(key, one[key]) == one[key]]
               for one in words if key in one}

    def check(value):
        word = value.get(key) if isinstance(value, dict) else None
        likely = by_word.get(word, wordless) if isinstance(word, str) else every
        fits = sum(inner(value) is None for inner in likely)
        return None if fits == 1 else f": fits {fits} of {len(every)} shapes: {value!r:.200}"
    return check


def items_check(rule):
    inner = check_of(rule["items"])

    def check(value):
        for index, item in enumerate(value if isinstance(value, list) else ()):
            found = inner(item)
            if found:
                return f"[{index}]{found}"
        return None
    return check


def members_check(rule):
    required = rule.get("required", [])
    members = {key: check_of(inner) for key, inner in rule.get("properties", {}).items()}
    others = rule.get("additionalProperties", True)
    other = check_of(others) if isinstance(others, dict) else None

    def check(value):
        if not isinstance(value, dict):
            return None
        for key in required:
            if key not in value:
                return f": lacks {key}"
        for key, member in value.items():
            inner = members.get(key, other)
            if inner is None and others is False:
                return f": must not have {key}"
            found = inner(member) if inner else None
            if found:
                return f".{key}{found}"
        return None
    return check


# In this order: a value of another type is said to be one, and nothing more is asked of it.
KEYWORDS = [
    (["type"], type_check),
    (["const"], lambda rule: lambda value: None if value == rule["const"] else f": not {rule['const']!r}"),
    (["enum"], lambda rule: lambda value: None if value in rule["enum"] else f": {value!r} is none of {rule['enum']}"),
    (["pattern"], pattern_check),
    (["minimum", "maximum"], range_check),
    (["minLength"], lambda rule: lambda value: ": too short" if isinstance(value, str) and len(value) < rule["minLength"] else None),
    (["oneOf"], one_of_check),
    (["items"], items_check),
    (["properties", "required", "additionalProperties"], members_check),
]


def what_is_wrong(request, reply):
    """With one exchange, or None."""
    judged = [("request", request, request["op"] + ".request.json"), ("reply", reply, "reply.json")]
    if "ok" in reply:
        judged.append(("ok", reply["ok"], request["op"] + ".ok.json"))
    for what, value, name in judged:
        found = fault(value, name)
        if found:
            return what + found
    return None


def proxy(command):
    if not command or command[0] == "--help":
        print(__doc__)
        return 0 if command else 2
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    for line in sys.stdin.buffer:
        request = json.loads(line)
        child.stdin.write(line)
        child.stdin.flush()
        answer = child.stdout.readline()
        reply = json.loads(answer)
        found = what_is_wrong(request, reply)
        if found:
            message = {"id": request["id"], "error": {"code": "internal", "message": "schema: " + found}}
            answer = json.dumps(message).encode() + b"\n"
        sys.stdout.buffer.write(answer)
        sys.stdout.buffer.flush()
    child.stdin.close()
    return child.wait()


def results(paths):
    bad = 0
    for path in paths:
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                found = fault(json.loads(line), "result.json")
                if found:
                    bad += 1
                    print(f"{path}:{number}: line{found}")
    return 1 if bad else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--result"]:
        sys.exit(results(sys.argv[2:]))
    sys.exit(proxy(sys.argv[1:]))
