#!/usr/bin/env python3
"""Plays one scenario against an adapter, as the runner of protocol.md 2.1 would, and prints what
the adapter did as a timeline; with two adapters it prints where they differ.

  play.py SCENARIO.json -- COMMAND ARGS...
  play.py --diff 'COMMAND A' 'COMMAND B' SCENARIO.json

A scenario is one JSON object:
  k8s      "1.36" (or --k8s)            gates  {"Name": true}
  open     pod, uptime, wall, jitter ...: the fields of the open request; layer defaults to "probe"
  end      the last instant, in ms
  events   the world: [{"at": 2300, "e": "running", "container": "app", "cid": "c1"}, ...]
  answers  {"app/liveness": [ANSWER, ...], "*": [...]}; one an attempt, the last one repeats.
           ANSWER is a result ("success", "failure", ...) or an object: result, output, code, and
           after, how many ms the attempt takes (0).  Without any, attempts succeed at once.
Exit 0: played (and equal), 1: the two differ, 2: usage, 4: an adapter is unusable.
"""

import json
import select
import shlex
import subprocess
import sys

REPLY_S = 10
ROUNDS_MAX = 10000


class AdapterError(Exception):
    """The adapter does not speak the protocol, or says that it cannot play this."""

    def __init__(self, text, code="protocol"):
        super().__init__(text)
        self.code = code


class Adapter:
    """One persistent adapter process."""

    def __init__(self, command):
        self.command = command
        self.last_id = 0
        self.buffer = b""
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0)

    def ask(self, op, **fields):
        self.last_id += 1
        line = json.dumps({"id": self.last_id, "op": op, **fields}) + "\n"
        try:
            self.process.stdin.write(line.encode())
        except BrokenPipeError:
            raise AdapterError("the adapter has closed its stdin") from None
        reply = json.loads(self._line())
        if reply.get("id") != self.last_id:
            raise AdapterError(f"reply to {reply.get('id')} instead of {self.last_id}")
        if "error" in reply:
            raise AdapterError(f"{op}: {reply['error']['message']}", reply["error"]["code"])
        return reply["ok"]

    def _line(self):
        while b"\n" not in self.buffer:
            if not select.select([self.process.stdout], [], [], REPLY_S)[0]:
                raise AdapterError("no reply in time", "timeout")
            part = self.process.stdout.read(1 << 16)
            if not part:
                raise AdapterError("the adapter has ended", "crash")
            self.buffer += part
        line, _, self.buffer = self.buffer.partition(b"\n")
        return line

    def close(self):
        self.process.stdin.close()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()


class Playback:
    """The runner's side of one scenario."""

    def __init__(self, adapter, scenario):
        self.adapter = adapter
        self.scenario = scenario
        self.trace = []      # (ms, effect)
        self.answers = []    # (due ms, event)
        self.world = sorted(scenario.get("events", []), key=lambda e: e["at"])
        self.used = {}
        self.now = 0

    def play(self):
        opening = dict(self.scenario["open"])
        opening.setdefault("layer", "probe")
        self._take(self.adapter.ask("open", **opening))
        try:
            self._run()
        finally:
            self.adapter.ask("close")
        return self.trace

    def _run(self):
        end = self.scenario["end"]
        while True:
            due = [end] + [t for t, _ in self.answers] + [e["at"] for e in self.world[:1]]
            self._advance_until_quiet(min(due))
            answers = [a for t, a in self.answers if t <= self.now]
            if answers:
                self.answers = [(t, a) for t, a in self.answers if t > self.now]
                self._take(self.adapter.ask("advance", to=self.now, events=answers))
                continue
            events = [e for e in self.world if e["at"] <= self.now]
            if events:
                self.world = self.world[len(events):]
                bare = [{k: v for k, v in e.items() if k != "at"} for e in events]
                self._take(self.adapter.ask("advance", to=self.now, events=bare))
                continue
            if self.now >= end:
                return

    def _advance_until_quiet(self, to):
        """Goes towards `to`; stops early when an answer has become due before it."""
        for _ in range(ROUNDS_MAX):
            reply = self.adapter.ask("advance", to=to, events=[])
            self._take(reply)
            if self.now >= to and not reply["effects"]:
                return
            to = min([to] + [t for t, _ in self.answers])
        raise AdapterError(f"livelock at {self.now} ms", "livelock")

    def _take(self, reply):
        at = reply["at"]
        if at < self.now:
            raise AdapterError(f"time goes back from {self.now} to {at}")
        self.now = at
        for effect in reply["effects"]:
            self.trace.append((at, effect))
            if effect["e"] in ("probe", "hook"):
                self._schedule(at, effect)

    def _schedule(self, at, effect):
        script = self.scenario.get("answers", {})
        key = f"{effect['container']}/{effect['type']}"
        answers = script.get(key, script.get("*", ["success"]))
        i = self.used.get(key, 0)
        self.used[key] = i + 1
        answer = answers[min(i, len(answers) - 1)]
        if isinstance(answer, str):
            answer = {"result": answer}
        event = {k: v for k, v in answer.items() if k != "after"}
        event.update(e="answer", n=effect["n"])
        event.setdefault("output", "")
        self.answers.append((at + answer.get("after", 0), event))


def say(effect):
    """One effect as a line for people."""
    kind = effect["e"]
    where = effect.get("container", "")
    if kind == "probe":
        attempt = "" if effect["attempt"] == 1 else f" attempt {effect['attempt']}"
        return f"probe   {where}/{effect['type']} {effect['cid']}{attempt}"
    if kind == "result":
        return f"result  {where}/{effect['type']} {effect['cid']} {effect['value']}"
    if kind in ("started", "ready"):
        return f"{kind:7} {where} {str(effect['value']).lower()}"
    if kind == "event":
        return f"event   {where} {effect['type']} {effect['reason']}: {effect['message']}"
    rest = {k: v for k, v in effect.items() if k not in ("e", "n")}
    return f"{kind:7} " + json.dumps(rest, sort_keys=True)


def timeline(trace):
    """The trace in its comparable form: per instant, lines in sorted order, numbers left out."""
    lines = {}
    for at, effect in trace:
        lines.setdefault(at, []).append(say(effect))
    return [f"{at:>9}  {line}" for at in sorted(lines) for line in sorted(lines[at])]


def without_unobserved(trace, observes):
    return [(at, e) for at, e in trace if e["e"] in observes]


def play(command, scenario, k8s):
    """Plays with a fresh process; gives the trace and the effect kinds that it observes."""
    adapter = Adapter(command)
    try:
        hello = adapter.ask("hello", protocol=1, k8s=k8s, gates=scenario.get("gates", {}), seed=1)
        return Playback(adapter, scenario).play(), hello["observes"]
    finally:
        adapter.close()


def difference(a, b):
    """Two timelines side by side: lines of A only, of B only, and the first instant that differs."""
    first = None
    out = []
    for line in sorted(set(a) | set(b), key=lambda text: (int(text.split()[0]), text)):
        more = a.count(line) - b.count(line)
        if more and first is None:
            first = int(line.split()[0])
        out.append(("A " if more > 0 else "B " if more < 0 else "  ") + line)
    return first, out


def usage(text):
    print(f"play.py: {text}\n\n{__doc__}", file=sys.stderr)
    return 2


def main(argv):
    k8s = None
    if "--k8s" in argv:
        i = argv.index("--k8s")
        k8s = argv[i + 1]
        del argv[i:i + 2]
    pair = None
    if argv and argv[0] == "--diff":
        if len(argv) != 4:
            return usage("--diff takes two commands and a scenario")
        pair = [shlex.split(argv[1]), shlex.split(argv[2])]
        path = argv[3]
    elif len(argv) >= 3 and argv[1] == "--":
        path, command = argv[0], argv[2:]
    else:
        return usage("a scenario and an adapter are needed")
    try:
        with open(path, encoding="utf-8") as f:
            scenario = json.load(f)
        k8s = k8s or scenario["k8s"]
    except (OSError, ValueError, KeyError) as e:
        return usage(f"{path}: {e!r}")
    try:
        if pair is None:
            trace, _ = play(command, scenario, k8s)
            print("\n".join(timeline(trace)))
            return 0
        traces = [play(c, scenario, k8s) for c in pair]
    except (AdapterError, OSError, ValueError) as e:
        print(f"play.py: {e}", file=sys.stderr)
        return 4
    common = set(traces[0][1]) & set(traces[1][1])
    a, b = (timeline(without_unobserved(t, common)) for t, _ in traces)
    first, lines = difference(a, b)
    print("\n".join(lines))
    if first is not None:
        print(f"the first difference is at {first} ms (A: {' '.join(pair[0])}; B: {' '.join(pair[1])})")
    return 0 if first is None else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
