#!/usr/bin/env python3
"""generate.py [--check]: effect.json and event.json, from effects.def, events.def and the words of wire_names.c.

--check: say which of them is not what it would be.
"""
import json
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
PROTOCOL = HERE.parent / "protocol"
POD = {"pod": {"type": "string", "description": "feature pods: in a case of several"}}
NODE_WIDE = ("update", "kubelet-restart", "clock", "runtime-down", "runtime-up")
TITLES = {
    "effect": "An effect: what the implementation tells (protocol.md section 3). No other fields; texts that are empty may be left out "
              "where not required.",
    "event": "An event: what the runner tells (protocol.md section 2). Unknown kinds are ignored."}
JITTER = {"jitter": {"oneOf": [
    {"enum": ["none", "free"]},
    {"type": "object", "description": "container/type: part of the period",
     "additionalProperties": {"type": "number", "minimum": 0, "maximum": 1}}]}}


def word_lists():
    """{"phase": ["", "Pending" ...]}: the lists of wire_names.c."""
    text = (PROTOCOL / "wire_names.c").read_text(encoding="utf-8")
    lists = {name: re.findall(r'"([^"]*)"', words)
             for name, words in re.findall(r"\*const (\w+)\[\] = \{(.*?)\};", text, re.S)}
    return {name: lists[of] for name, of in re.findall(r"^WORDS\((\w+), (\w+),", text, re.M)}


UNITS = {"n": "any number that the case has not had", "grace": "seconds", "attempt": "1; 2 and 3 after an error"}


def number(low, high=None):
    """The bounds that are numbers; what C's own types hold is not said."""
    bounds = {"minimum": low, "maximum": high}
    return dict({"type": "integer"}, **{name: int(bound) for name, bound in bounds.items() if bound and bound.isdigit()})


def field(kind, rest, words):
    """What JSON Schema says of one field; `rest` is what stands in its row behind member and name."""
    if kind.startswith("WORD"):
        return {"enum": words[rest[-1]]}
    if kind in ("INT", "MS"):
        return dict(number(*rest), **({"description": "milliseconds"} if kind == "MS" else {}))
    if kind == "MS_IF":
        return {"type": "integer", "description": "milliseconds since the case began"}
    return {"STATE": {"type": "string", "pattern": "^(running|waiting:|terminated:|$)"},
            "BOOL": {"type": "boolean"},
            "POD": {"type": "object", "description": "a Pod as the API server stores it"}}.get(kind, {"type": "string"})


def message(file, word, fields, words):
    properties, required = {"e": {"const": word}}, ["e"]
    if word not in NODE_WIDE:
        properties.update(POD)
    for kind, arguments in re.findall(r"(\w+)\(([^()]*)\)", fields):
        parts = [part.strip() for part in arguments.split(",")]
        if kind.endswith("_OF"):
            parts = parts[1:]
        presence = "OPTIONAL" if kind.endswith("_IF") else parts.pop(0)
        name = parts[0] if kind != "CONTAINER" else "container"
        properties[name] = field(kind, parts[2:], words)
        if file == "effect" and name in UNITS and word != "sandbox" or name == "grace":
            properties[name]["description"] = UNITS[name]
        if presence == "NEEDED":
            required.append(name)
    if word == "kubelet-restart":
        properties.update(JITTER)
    return dict({"type": "object", "properties": properties, "required": required},
                **({"additionalProperties": False} if file == "effect" else {}))


def put(schema):
    """As JSON, a property a line."""
    lines = []
    for one in schema["oneOf"]:
        properties = ",\n".join("        %s: %s" % (json.dumps(name), json.dumps(of)) for name, of in one["properties"].items())
        rest = "".join(",\n      %s: %s" % (json.dumps(name), json.dumps(one[name])) for name in one if name not in ("type", "properties"))
        lines.append('    {\n      "type": "object",\n      "properties": {\n%s\n      }%s\n    }' % (properties, rest))
    head = "".join("  %s: %s,\n" % (json.dumps(name), json.dumps(of)) for name, of in schema.items() if name != "oneOf")
    return "{\n%s  \"oneOf\": [\n%s\n  ]\n}\n" % (head, ",\n".join(lines))


def main():
    words, stale = word_lists(), []
    for file, title in TITLES.items():
        rows = re.findall(r'^E\w+\(\w+, "([\w-]+)",(.*?)\)$(?=\n\S)', (PROTOCOL / f"{file}s.def").read_text(encoding="utf-8"), re.M | re.S)
        text = put({"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": f"{file}.json", "title": title,
                    "oneOf": [message(file, word, fields, words) for word, fields in rows]})
        path = HERE / f"{file}.json"
        if text != path.read_text(encoding="utf-8"):
            stale.append(path.name)
            if "--check" not in sys.argv:
                path.write_text(text, encoding="utf-8")
    if stale and "--check" in sys.argv:
        print("schema: %s: %ss.def says otherwise now; `make docs` writes it" % (stale[0], stale[0][:-5]), file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
