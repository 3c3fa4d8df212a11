#!/usr/bin/env python3
"""A difference as the draft of a case: what was played, as a file that the case loader takes.

  draft.py RECORDING.jsonl.xz CASE [FILE]    a recorded case as a draft, on stdout or in FILE

The differentials call `write`: they give the exchange with the real kubelet, in the form of a recording
(record.py), and what differed.  The draft expects what the kubelet did.  `why` and `rules` are to be
filled in by a person: the rule that stands there is a guess from the kind of the first difference.
Where the form of a case cannot say a thing exactly (two attempts of one execution that take different
times) the draft says so at its top; `write` plays the draft on both sides and says whether it holds.
Exit 0: written, 2: usage, 3: no such recording or case.
"""

import json
import os
import re
import subprocess
import sys
import tempfile

import record

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# The rule that speaks of such an effect in general.
GUESS = {"probe": "P-017", "result": "P-046", "started": "P-038", "ready": "P-161", "event": "P-066",
         "kill": "S-130", "start": "S-120", "sandbox": "S-100", "backoff": "S-022", "hook": "S-214",
         "state": "S-318", "phase": "S-308", "condition": "S-301", "apidelete": "S-030",
         "port": "P-132", "check": "V-033"}
OF_INSTANCE = ("probe", "result", "hook", "kill")
BARE = re.compile(r"\d+(\.\d+)?s|[A-Za-z_/][\w ./-]*[\w/]|[A-Za-z]|-?[1-9]\d{0,8}|0")
WORDS = {"true", "false", "yes", "no", "on", "off", "null", "y", "n"}


# ---- YAML that people can read ---------------------------------------------------------------------

def scalar(value):
    if isinstance(value, str) and (not BARE.fullmatch(value) or value.lower() in WORDS or value.lstrip("-").isdigit()):
        return quoted(value)
    return value if isinstance(value, str) else json.dumps(value)


def flow(value):
    if isinstance(value, dict):
        keys = sorted(value, key=lambda k: k != "name")  # a container begins with its name
        return "{" + ", ".join(f"{scalar(k)}: {flow(value[k])}" for k in keys) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(flow(v) for v in value) + "]"
    return scalar(value)


def block(value, depth):
    """A map as lines, a list of containers one a line."""
    pad, lines = "  " * depth, []
    for key, inner in value.items():
        if isinstance(inner, dict) and inner and len(flow(inner)) > 100:
            lines += [f"{pad}{key}:"] + block(inner, depth + 1)
        elif isinstance(inner, list) and inner and len(flow(inner)) > 100:
            lines += [f"{pad}{key}:"] + [f"{pad}  - {flow(item)}" for item in inner]
        else:
            lines.append(f"{pad}{key}: {flow(inner)}")
    return lines


def span(ms):
    """A duration as a case writes it."""
    if ms % 1000 == 0:
        return f"{ms // 1000}s"
    sign, ms = ("-" if ms < 0 else ""), abs(ms)
    return f"{sign}{ms // 1000}.{ms % 1000:03d}".rstrip("0") + "s"


def quoted(text):
    """In quotation marks, as YAML and Go both read it."""
    return "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in json.dumps(text, ensure_ascii=False))


# ---- a trace, told again --------------------------------------------------------------------------

class Replay:
    """The keys of a case that plays what a recording played."""

    def __init__(self, item):
        self.item = item
        self.layer = item["layer"]
        self.inexact = []       # what the form of a case cannot say
        self.numbers = {}       # cid -> (container, which instance)
        self.events = [(at, event) for at, events in item["script"] for event in events]
        self.effects = [(at, effect) for at, effects in item["trace"] for effect in effects]
        self._count_instances()
        instants = [at for at, events in item["script"] if any(e["e"] != "answer" for e in events)]
        if self.layer == "probe" and len(set(instants)) < len(instants):
            self.inexact.append("events of one instant came in several requests")

    def _count_instances(self):
        """web-1 is the first instance of web: what ran before comes first."""
        counts = {}

        def meet(name, cid):
            if cid and cid not in self.numbers:
                counts[name] = counts.get(name, 0) + 1
                self.numbers[cid] = (name, counts[name])

        status = self.item["open"]["pod"].get("status") or {}
        for kind in ("containerStatuses", "initContainerStatuses"):
            for entry in status.get(kind, []):
                meet(entry["name"], entry.get("containerID", "").split("://")[-1])
        for _, event in self.events:
            if event["e"] in ("running", "startfail"):
                meet(event["container"], event.get("cid"))

    def keys(self):
        """The case's keys behind `layer`."""
        out = {"pod": self._pod()}
        for key, plain in (("uptime", 120500), ("wall", 0), ("syncFrequency", 60000)):
            if self.item["open"].get(key, plain) != plain:
                out[key] = span(self.item["open"][key])
        jitter = self.item["open"].get("jitter", "none")
        if self.item["open"].get("requeueJitter"):
            out["requeueJitter"] = round(self.item["open"]["requeueJitter"], 9)
        if jitter != "none":
            out["jitter"] = {k: round(v, 9) for k, v in jitter.items()} if isinstance(jitter, dict) else jitter
        for key, value in (("answers", self._answers()), ("world", self._world()), ("updates", self._updates())):
            if value:
                out[key] = value
        return out

    def _pod(self):
        pod = json.loads(json.dumps(self.item["open"]["pod"]))
        for kind in ("containerStatuses", "initContainerStatuses"):
            for entry in (pod.get("status") or {}).get(kind, []):
                kind_of, cid = entry["containerID"].split("://")
                entry["containerID"] = f"{kind_of}://{entry['name']}-{self.numbers[cid][1]}"
        return pod

    # -- answers

    def _answers(self):
        asked, executions = {}, {}
        for at, effect in self.effects:
            if effect["e"] in ("probe", "hook"):
                key = f"{effect['container']}/{effect['type']}"
                if effect.get("attempt", 1) == 1:
                    executions.setdefault(key, []).append([])
                executions[key][-1].append(effect["n"])
                asked[effect["n"]] = at
        given = {e["n"]: (at - asked[e["n"]], e) for at, e in self.events if e["e"] == "answer" and e["n"] in asked}
        return {key: ", ".join(self._runs([self._step(key, [given.get(n) for n in tries]) for tries in turns]))
                for key, turns in executions.items()}

    def _step(self, key, answers):
        """One execution: error/error/success in 10ms "text"."""
        answers = [a for a in answers if a]
        if not answers:
            return "never"
        results = [a[1]["result"] for a in answers]
        last, event = answers[-1]
        if len({(a[0], a[1].get("output", "")) for a in answers}) > 1:
            self.inexact.append(f"the attempts of one execution of {key} differ in their time or output")
        step = results[0] if len(set(results)) == 1 else "/".join(results)
        if last:
            step += f" in {span(last)}"
        if event.get("output"):
            step += " " + quoted(event["output"])
        code = event.get("code", 0)
        return step + (f" code {code}" if code else "")

    @staticmethod
    def _runs(steps):
        out = []
        for step in steps:
            if out and out[-1][0] == step:
                out[-1][1] += 1
            else:
                out.append([step, 1])
        return [step if count == 1 else f"{step} x{count}" for step, count in out]

    # -- the world that acts by itself (layer pod)

    def _world(self):
        if self.layer != "pod":
            return {}
        world = {}
        for name in sorted({effect["container"] for _, effect in self.effects if effect["e"] == "start"}):
            entry = {"starts": self._after("start", name), "stops": self._after("kill", name),
                     "exits": self._exits(name)}
            world[name] = {k: v for k, v in entry.items() if v}
        sandboxes = {"creates": self._after("create", None), "stops": self._after("stop", None)}
        sandboxes = {k: v for k, v in sandboxes.items() if v}
        if sandboxes:
            world["pod"] = sandboxes
        return {k: v for k, v in world.items() if v}

    def _asked(self, what, name):
        """[(at, effect)] of one sort of request."""
        return [(at, e) for at, e in self.effects
                if (e["e"] == what and e.get("container") == name) or (e["e"] == "sandbox" and e["do"] == what)]

    def _after(self, what, name):
        """What each of these requests came to, nothing where all went well at once."""
        taken, out, plain = set(), [], "143" if what == "kill" else "ok"
        for at, effect in self._asked(what, name):
            found = next(((i, t, e) for i, (t, e) in enumerate(self.events)
                          if i not in taken and t >= at and self._acknowledges(effect, e)), None)
            if what == "kill" and self._dead_before(effect["cid"], at):
                continue
            if found is None:
                out.append("ignores" if what == "kill" else f"ok after {span(self.item['end'] - at + 1000)}")
                continue
            taken.add(found[0])
            out.append(self._outcome(what, found[1] - at, found[2]))
        return out if any(entry != plain for entry in out) else []

    @staticmethod
    def _acknowledges(effect, event):
        if effect["e"] == "start":
            return event["e"] in ("running", "startfail") and event["container"] == effect["container"]
        if effect["e"] == "kill":
            return event["e"] in ("exited", "killfail") and event.get("cid") == effect["cid"]
        return event["e"] == "sandbox" and (event["do"], event["attempt"]) == (effect["do"], effect["attempt"])

    def _dead_before(self, cid, at):
        return any(e["e"] == "exited" and e["cid"] == cid and t < at for t, e in self.events)

    @staticmethod
    def _outcome(what, took, event):
        after = f" after {span(took)}" if took else ""
        if event["e"] == "startfail":
            return f"fail {event['reason']} {quoted(event.get('message', ''))}{after}"
        if event["e"] == "killfail" or event.get("error"):
            return f"fail {quoted(event.get('message') or event.get('error'))}{after}"
        return (str(event.get("code", 0)) if what == "kill" else "ok") + after

    def _exits(self, name):
        """How each instance ended that nobody had asked to."""
        out = []
        for at, event in self.events:
            if event["e"] != "running" or event["container"] != name:
                continue
            gone = next(((t, e) for t, e in self.events if e["e"] == "exited" and e["cid"] == event["cid"]), None)
            asked = any(e["e"] == "kill" and e["cid"] == event["cid"] and gone and t <= gone[0] for t, e in self.effects)
            if gone is None or asked:
                out.append("never")
            else:
                reason = gone[1].get("reason", "")
                usual = "Completed" if gone[1].get("code", 0) == 0 else "Error"
                out.append(f"{gone[1].get('code', 0)} {'' if reason in ('', usual) else reason + ' '}after {span(gone[0] - at)}")
        return out + ["never"] if any(entry != "never" for entry in out) else []

    # -- events and trace

    def _updates(self):
        pods = [event["pod"] for _, event in self.events if event["e"] == "update"]
        return {f"changed{i + 1}": pod for i, pod in enumerate(pods)}

    def event_lines(self):
        lines, updates = [], 0
        for at, event in self.events:
            kind, who = event["e"], event.get("container", "pod")
            if kind == "answer" or (self.layer == "pod" and kind not in
                                    ("delete", "update", "kubelet-restart", "clock", "runtime-down", "runtime-up")):
                continue
            if kind == "update":
                updates += 1
                lines.append(f"{span(at)} pod update changed{updates}")
            elif kind in ("kubelet-restart", "clock", "runtime-down", "runtime-up"):
                lines.append(f"{span(at)} {self._nodewide(event)}")
            else:
                lines.append(f"{span(at)} {who} {kind}{self._event_rest(event)}")
        return lines

    def _nodewide(self, event):
        if event["e"] == "kubelet-restart":
            if event.get("jitter", "none") != "none":
                self.inexact.append("the kubelet that comes back draws start delays")
            return f"kubelet restart {span(event['down'])}"
        return f"clock {span(event['by'])}" if event["e"] == "clock" else event["e"].replace("-", " ")

    @staticmethod
    def _event_rest(event):
        kind = event["e"]
        if kind == "running":
            began = f" started {span(event['startedAt'])}" if "startedAt" in event else ""
            return f" restarts {event.get('restarts', 0)}{began}"
        if kind == "exited":
            return f" {event.get('code', 0)} {event['reason']}" if event.get("reason") else f" {event.get('code', 0)}"
        if kind == "delete":
            return f" {event['grace']}s"
        return {"waiting": f" {event.get('reason', '')}", "phase": f" {event.get('value', '')}",
                "cleanup": " keep" if event.get("keep") else ""}.get(kind, "")

    def whom(self, effect):
        name = effect.get("container") or "pod"
        if effect["e"] not in OF_INSTANCE:
            return name
        return f"{name}/{self.numbers.get(effect['cid'], (name, effect['cid']))[1]}"

    def trace_lines(self):
        effects = self.effects if self.layer == "probe" else published(self.effects)
        return [f"{span(at)} {self.whom(effect)} {said}" for at, effect in effects
                for said in [say(effect)] if said]


def published(effects):
    """In layer pod the last of several values of an instant counts, and only if it is a change."""
    def key(effect):
        kind = effect["e"]
        if kind not in ("state", "started", "ready", "phase", "condition"):
            return None
        return kind, effect.get("container"), effect.get("type")

    last = {(at, key(e)): i for i, (at, e) in enumerate(effects)}
    values, out = {}, []
    for i, (at, effect) in enumerate(effects):
        of = key(effect)
        if of is None:
            out.append((at, effect))
        elif last[at, of] == i:
            before = values.get(of, {"started": "not started", "ready": "not ready", "phase": "phase Pending"}.get(of[0]))
            values[of] = say(effect)
            if before != values[of]:
                out.append((at, effect))
    return out


def message(effect):
    text = effect.get("message", "")
    return f" {quoted(text)}" if text and not text.endswith("context canceled") else ""


def say(effect):
    """An effect behind whom it is about, as a line of a trace has it."""
    kind = effect["e"]
    if kind in ("started", "ready"):
        return kind if effect["value"] else f"not {kind}"
    if kind == "state":
        last = effect.get("last", "")
        return ("state " + state(effect["state"]) + (f" last {state(last)}" if last else "") +
                (f" restarts {effect['restarts']}" if effect["restarts"] else ""))
    words = {"probe": ("type",), "hook": ("type",), "result": ("type", "value"), "sandbox": ("do", "attempt"),
             "start": ("restart",), "phase": ("value",), "event": ("type", "reason"),
             "condition": ("type", "status", "reason"), "apidelete": (), "sync": None}[kind] if kind not in (
                 "kill", "backoff") else ()
    if words is None:
        return ""
    out = " ".join([kind] + [str(effect[w]) for w in words if effect.get(w, "") != ""])
    if kind == "probe" and effect["attempt"] != 1:
        out += f" #{effect['attempt']}"
    if kind == "kill":
        out += f" {effect['grace']}s" + (f" {effect['reason']}" if effect.get("reason") else "")
    if kind == "backoff":
        out += f" {span(effect['delay'])}"
    return out + (message(effect) if kind in ("kill", "event", "condition") else "")


def state(text):
    """waiting:Reason: message -> waiting:Reason "message"."""
    kind, _, rest = text.partition(":")
    if kind == "terminated":
        reason, code, words = (rest.split(":", 2) + [""])[:3]
        head = f"{kind}:{reason}:{code}"
    else:
        reason, _, words = rest.partition(":")
        head = f"{kind}:{reason}" if ":" in text else kind
    return head + (f" {quoted(words[1:])}" if words else "")


# ---- the whole draft --------------------------------------------------------------------------------

def question(item):
    """The keys of a question: what is asked, and what the kubelet's own packages answer."""
    if item["layer"] == "port":
        return {**item["ask"], **{("is" if k == "port" else k): v for k, v in item["ok"].items()}}
    asked = {"pod": item["ask"]["pod"]} if "pod" in item["ask"] else {}
    return {**asked, **answered(item)}


def answered(item):
    if "undecodable" in item["ok"]:
        return {"undecodable": item["ok"]["undecodable"]}
    return {"errors": [e["text"] for e in item["ok"]["errors"]], "warnings": item["ok"]["warnings"]}


def text_block(key, lines):
    return [f"    {key}: |"] + [f"      {line}".rstrip() for line in lines] if lines else []


def text(item, minor, name, said, observes=None):
    """The draft of one case; said: lines about what differed."""
    first = item.get("about", item["layer"])
    head, tail, inexact = {"layer": item["layer"]}, [], []
    if item.get("gates"):
        head["gates"] = item["gates"]
    if "ask" in item:
        head.update(question(item))
        if "yaml" in item["ask"]:
            tail = text_block("yaml", item["ask"]["yaml"].splitlines())
    else:
        replay = Replay(item)
        head.update(replay.keys())
        kinds = sorted(set(observes or []) - {"sync", "result", "request", "text"})  # the last three are of layer fire
        if kinds and item["layer"] == "pod":
            head["watch"] = kinds
        head["for"] = span(item["end"])
        tail = text_block("events", replay.event_lines()) + (text_block("trace", replay.trace_lines()) or ['    trace: ""'])
        inexact = sorted(set(replay.inexact))
    remarks = [f"# {line}" for line in said] + [f"# NOT EXACT: {line}." for line in inexact]
    return "\n".join(
        ["# A draft: say why, name the rule, give it an id and put it into the file of its topic."] + remarks +
        ["about: A difference between an implementation and the real kubelet, to be explained.", "cases:",
         f"  - id: {name}", f"    why: to be filled in - on {minor} the kubelet does this", f"    rules: [{GUESS.get(first, 'P-020')}]",
         f'    since: "{minor}"', f'    until: "{minor}"'] + block(head, 2) + tail) + "\n"


def holds(path, minor, command=None):
    """What the runner says of the draft: pass, fail, skip ..., or damaged; without a command, of the engine."""
    probetest = os.path.join(ROOT, "build/probetest")
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(os.path.abspath(path), os.path.join(folder, os.path.basename(path)))
        report = os.path.join(folder, "report.jsonl")
        done = subprocess.run([probetest, "run", "--quiet", "--cases", folder, "--k8s", minor, "--report", report] +
                              (["--"] + command if command else []), capture_output=True, text=True)
        if done.returncode not in (0, 1):
            return "damaged: " + (done.stderr.strip().splitlines() or ["?"])[0]
        with open(report, encoding="utf-8") as lines:
            return next(line["verdict"] for line in map(json.loads, lines) if "case" in line)


def exchange(ask):
    """(a list that fills with (request, reply), ask itself with that record)."""
    heard = []

    def record(request):
        ok = ask(request)
        if request["op"] != "hello":
            heard.append((request, {"ok": ok}))
        return ok

    return heard, record


def of_exchange(layer, gates, heard):
    """One case's requests and replies, from open to close, as a recording has them."""
    return record.recorded({"case": "draft", "layer": layer}, gates, heard)


def write(folder, name, item, minor, said, observes, sides):
    """Writes the draft and plays it on both sides ([(name, command)]); the file's path, and what came of it."""
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, f"{name}.yaml")
    with open(path, "w", encoding="utf-8") as out:
        out.write(text(item, minor, name, said, observes))
    return path, [(side, holds(path, minor, command)) for side, command in sides]


def main(argv):
    if len(argv) not in (2, 3):
        print(__doc__, file=sys.stderr)
        return 2
    try:
        header, items = record.read_recording(argv[0])
        item = items[argv[1]]
    except (OSError, ValueError, KeyError, EOFError) as e:
        print(f"draft: {argv[0]}: {e!r}", file=sys.stderr)
        return 3
    out = text(item, header["k8s"], "draft-" + argv[1], [f"recorded from {header['module']}"], header["observes"])
    if len(argv) == 2:
        print(out, end="")
        return 0
    with open(argv[2], "w", encoding="utf-8") as file:
        file.write(out)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
