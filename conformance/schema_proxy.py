#!/usr/bin/env python3
"""Stands between the runner and an adapter and holds every message against conformance/schema.

    schema_proxy.py ADAPTER ARGS...      an adapter itself: what breaks a schema is answered with an
                                         error, so that the case fails and says which
    schema_proxy.py --result FILE...     hold result files against schema/result.json

Knows as much of JSON Schema as those files use.
"""
import json
import os
import re
import subprocess
import sys

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "schema")
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool}
loaded = {}


def schema(name):
    if name not in loaded:
        with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
            loaded[name] = json.load(file)
    return loaded[name]


def is_type(value, name):
    if name == "integer":
        return isinstance(value, (int, float)) and not isinstance(value, bool) and value == int(value)
    if name == "number":
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return isinstance(value, TYPES[name])


def is_other(value, rule):
    """Has a member another value than the shape's constant?  Tells most shapes apart at once."""
    return isinstance(value, dict) and any(key in value and "const" in inner and value[key] != inner["const"]
                                           for key, inner in rule.get("properties", {}).items())


def fault(value, rule, path):
    """What is wrong with a value, or None."""
    if "$ref" in rule:
        return fault(value, schema(rule["$ref"]), path)
    types = rule.get("type", [])
    types = [types] if isinstance(types, str) else types
    if types and not any(is_type(value, name) for name in types):
        return f"{path}: no {' or '.join(types)}"
    if "const" in rule and value != rule["const"]:
        return f"{path}: not {rule['const']!r}"
    if "enum" in rule and value not in rule["enum"]:
        return f"{path}: {value!r} is none of {rule['enum']}"
    if "pattern" in rule and not re.search(rule["pattern"], value):
        return f"{path}: {value!r} does not match {rule['pattern']}"
    if "minimum" in rule and value < rule["minimum"] or "maximum" in rule and value > rule["maximum"]:
        return f"{path}: {value} is out of range"
    if len(value) < rule.get("minLength", 0) if isinstance(value, str) else False:
        return f"{path}: too short"
    if "oneOf" in rule:
        fits = sum(not is_other(value, one) and fault(value, one, path) is None for one in rule["oneOf"])
        if fits != 1:
            return f"{path}: fits {fits} of {len(rule['oneOf'])} shapes: {value!r:.200}"
    return fault_inside(value, rule, path)


def fault_inside(value, rule, path):
    if isinstance(value, list) and "items" in rule:
        for index, item in enumerate(value):
            found = fault(item, rule["items"], f"{path}[{index}]")
            if found:
                return found
    if not isinstance(value, dict):
        return None
    for key in rule.get("required", []):
        if key not in value:
            return f"{path}: lacks {key}"
    for key, member in value.items():
        if key in rule.get("properties", {}):
            inner = rule["properties"][key]
        else:
            inner = rule.get("additionalProperties", True)
        found = f"{path}: must not have {key}" if inner is False else inner is not True and fault(
            member, inner, f"{path}.{key}")
        if found:
            return found
    return None


def proxy(command):
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    for line in sys.stdin.buffer:
        request = json.loads(line)
        child.stdin.write(line)
        child.stdin.flush()
        answer = child.stdout.readline()
        reply = json.loads(answer)
        found = fault(request, schema(request["op"] + ".request.json"), "request") or fault(
            reply, schema("reply.json"), "reply")
        if not found and "ok" in reply:
            found = fault(reply["ok"], schema(request["op"] + ".ok.json"), "ok")
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
                found = fault(json.loads(line), schema("result.json"), "line")
                if found:
                    bad += 1
                    print(f"{path}:{number}: {found}")
    return 1 if bad else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--result"]:
        sys.exit(results(sys.argv[2:]))
    sys.exit(proxy(sys.argv[1:]))
