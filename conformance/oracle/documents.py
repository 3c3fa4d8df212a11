#!/usr/bin/env python3
"""Random questions of the layers `port` and `check` to two adapters: one in question, one the oracle.

  documents.py --layer port|check --k8s 1.36 [--seed S] [--n N] [--most K] [--keep DIR] 'COMMAND' 'ORACLE COMMAND'

port   compares the whole answer.
check  compares errors (text, field, in order), warnings and undecodable; of the stored pod what
       bears on probes (projected by `stored`).  A document that the two answer differently is
       shrunk line by line and written to DIR as a draft for a case.
Exit 0: no difference, 1: some, 2: usage, 4: an adapter is unusable.
"""

import argparse
import json
import os
import random
import re
import shlex
import sys
import time

import client
import draft

PORT_NAMES = ["http", "web", "", "8080", "http-alt", "HTTP", "a--b", "-a", "x" * 16, "\u00e9", "a b", "80x"]
NUMBERS = ["0", "1", "80", "65535", "65536", "-1", "-80", "+80", "080", "0x50", "1_000", "8e3", "80.0", " 80",
           "80 ", "", "+", "-", "++80", "9223372036854775807", "9223372036854775808", "-9223372036854775809",
           "99999999999999999999x", "0000000000000000000080", "\u0668\u0660", "8\t0", 'a"b', "\\", "\x00", "\x7f"]


def port_question(rng):
    kind = rng.random()
    if kind < 0.3:
        port = rng.choice([0, 1, 80, 65535, 65536, -1, 2147483647, -2147483648, rng.randrange(-10, 70000)])
    elif kind < 0.6:
        port = rng.choice(PORT_NAMES)
    elif kind < 0.9:
        port = rng.choice(NUMBERS)
    else:
        port = "".join(rng.choice("0189+-_xX .eaZ\u00e9\"\\\n\t") for _ in range(rng.randrange(0, 24)))
    ports = []
    for _ in range(rng.choice([0, 0, 1, 2, 3])):
        entry = {"containerPort": rng.choice([80, 8080, 0, -5, 65536, 2147483647, rng.randrange(1, 65536)])}
        if rng.random() < 0.8:
            entry["name"] = rng.choice(PORT_NAMES + [port if isinstance(port, str) else "http"])
        if rng.random() < 0.5:
            entry["protocol"] = rng.choice(["TCP", "UDP", "SCTP"])
        ports.append(entry)
    return {"port": port, "ports": ports}


class Document:
    """A random pod as YAML text: mostly valid, with a few odd places."""

    SCALARS = ["0", "1", "-1", "3", "5", "10", "300", "2147483647", "2147483648", "-2147483648", "1.0", "1.5",
               "1e1", "0x10", "010", "0o17", "1_0", "+5", '"5"', "true", "yes", "null", "~", "", "abc", "[1]",
               "{}", "!!str 5", '!!int "5"', ".inf", "08", "1:30", "0b11", "1e400",
               "2147483647", "2147483648", "-2147483648", "9223372036", "9223372037", "9223372036854775807", "9223372036854775808"]
    PORTS = ["80", "8080", "0", "65536", "-1", "http", '"http"', '"8080"', '"80"', "HTTP", "a--b", "-a", "a-",
             '""', "null", "abcdefghijklmnop", "0x50", '"0x50"', "8e3", "80.5", "true", "{}", "[80]", "080",
             "1:30", "!!str 80", "+80", "4294967296", "18446744073709551617", "a_b", "\u00e9"]

    def __init__(self, rng, minor):
        self.rng = rng
        self.minor = minor
        self.lines = []
        self.odd = rng.choice([0, 0.02, 0.06, 0.15])

    def text(self):
        r = self.rng
        self._put(0, "apiVersion: v1")
        self._put(0, "kind: Pod")
        self._put(0, "metadata:")
        self._put(1, f"name: {self._pick('p', ['P', '', 'a.b', 'x' * 64])}")
        if r.random() < 0.5:
            self._put(1, "namespace: default")
        self._put(0, "spec:")
        if r.random() < 0.4:
            self._put(1, f"restartPolicy: {self._pick(r.choice(['Always', 'OnFailure', 'Never']), ['always', '', 'x', '5', 'null'])}")
        if r.random() < 0.3:
            self._put(1, f"terminationGracePeriodSeconds: {self._number(r.choice(['0', '5', '30']))}")
        if r.random() < 0.15:
            self._put(1, f"hostNetwork: {self._pick('true', ['false', 'yes', '1', 'null'])}")
        if self._odd():
            self._put(1, r.choice(["unknownField: 1", "RestartPolicy: Never", "containers: []", "volumes: []"]))
        self._containers("containers", ["app", "web", "db"][:r.choice([1, 1, 1, 2, 3])])
        if r.random() < 0.3:
            self._containers("initContainers", ["init", "side"][:r.choice([1, 2])], init=True)
        if r.random() < 0.04:
            self._containers("ephemeralContainers", ["debug"])
        return "\n".join(self.lines) + "\n"

    def _put(self, depth, text, item=False):
        pad = "  " * depth
        self.lines.append((pad[:-2] + "- " if item else pad) + text)

    def _odd(self):
        return self.rng.random() < self.odd

    def _pick(self, usual, odd):
        return self.rng.choice(odd) if self._odd() else usual

    def _number(self, usual):
        return self._pick(usual, self.SCALARS)

    def _containers(self, field, names, init=False):
        r = self.rng
        self._put(1, f"{field}:")
        for name in names:
            self._put(3, f"name: {self._pick(name, ['', 'app', 'App', 'a_b', '5', 'x' * 64])}", item=True)
            if not self._odd():
                self._put(3, f"image: {r.choice(['x', 'x:1', 'x:latest', 'reg/x@sha256:' + 'a' * 64])}")
            if r.random() < (0.6 if init else 0.12):
                self._put(3, f"restartPolicy: {r.choice(['Always', 'Always', 'Never', 'OnFailure', 'always'])}")
                if r.random() < 0.3:
                    self._rules()
            if r.random() < 0.35:
                self._ports()
            for kind in ("livenessProbe", "readinessProbe", "startupProbe"):
                if r.random() < (0.25 if init else 0.5):
                    self._probe(kind)
            if self._odd():
                self._put(3, r.choice(["livenessprobe: {}", "foo: 1", "name: other", "livenessProbe: null",
                                       "livenessProbe: {}", "readinessProbe: 5", "env: {}"]))

    def _rules(self):
        r = self.rng
        self._put(3, "restartPolicyRules:")
        self._put(5, f"action: {r.choice(['Restart', 'RestartAllContainers', 'x'])}", item=True)
        if r.random() < 0.8:
            self._put(5, "exitCodes:")
            self._put(6, f"operator: {r.choice(['In', 'NotIn', 'x'])}")
            if r.random() < 0.8:
                self._put(6, f"values: {r.choice(['[1]', '[1, 1]', '[]', '[-1, 256]', '5'])}")

    def _ports(self):
        r = self.rng
        self._put(3, "ports:")
        for _ in range(r.choice([1, 1, 2, 3])):
            self._put(5, f"containerPort: {self._pick(r.choice(['80', '8080', '443']), self.SCALARS + ['65536', '0'])}", item=True)
            if r.random() < 0.6:
                self._put(5, f"name: {self._pick(r.choice(['http', 'https', 'a']), self.PORTS)}")
            if r.random() < 0.3:
                self._put(5, f"protocol: {self._pick(r.choice(['TCP', 'UDP', 'SCTP']), ['tcp', '', 'x', 'null'])}")
            if r.random() < 0.2:
                self._put(5, f"hostPort: {self._pick(r.choice(['80', '8080']), self.SCALARS)}")

    def _probe(self, kind):
        r = self.rng
        self._put(3, f"{kind}:")
        start = len(self.lines)
        for handler in self._handlers():
            getattr(self, "_" + handler)()
        for field, usual in (("initialDelaySeconds", "5"), ("timeoutSeconds", "2"), ("periodSeconds", "10"),
                             ("successThreshold", "1"), ("failureThreshold", "3"),
                             ("terminationGracePeriodSeconds", "20")):
            if r.random() < (0.12 if field.startswith("term") else 0.3):
                self._put(4, f"{field}: {self._number(usual)}")
                if self.rng.random() < self.odd / 3:
                    self._put(4, f"{field}: {self._number(usual)}")
        if self._odd():
            self._put(4, r.choice(["PeriodSeconds: 5", "httpget: {}", "grpc: {}", "exec: {}", "tcpSocket: {}"]))
        if len(self.lines) == start:
            self.lines[-1] += " {}"

    def _handlers(self):
        r = self.rng
        kinds = ["exec", "httpGet", "tcpSocket", "grpc"]
        if self._odd():
            return r.sample(kinds, r.choice([0, 2, 3]))
        return [r.choice(kinds)]

    def _exec(self):
        self._put(4, "exec:")
        self._put(5, f"command: {self._pick('[cat, /x]', ['[]', '[5]', 'cat', 'null', '[null]', '[true]'])}")

    def _httpGet(self):
        r = self.rng
        self._put(4, "httpGet:")
        self._put(5, f"port: {self._pick(r.choice(['80', 'http']), self.PORTS)}")
        if r.random() < 0.4:
            self._put(5, f"path: {self._pick('/x', ['x', '5', chr(34) * 2, 'null'])}")
        if r.random() < 0.3:
            self._put(5, f"scheme: {self._pick(r.choice(['HTTP', 'HTTPS']), ['http', 'ftp', '5', 'null'])}")
        if r.random() < 0.2:
            self._put(5, f"host: {self._pick('h', ['5', 'null', 'true'])}")
        if r.random() < 0.2:
            self._put(5, "httpHeaders:")
            self._put(7, f"name: {self._pick('X-A', ['X A', '5', 'x_y', chr(34) * 2, 'null'])}", item=True)
            self._put(7, f"value: {self._pick('v', ['5', 'null', 'true'])}")
        if self.minor >= 37 and r.random() < 0.2:
            self._put(5, f"protocol: {r.choice(['HTTP1', 'HTTP2', 'x'])}")

    def _tcpSocket(self):
        r = self.rng
        self._put(4, "tcpSocket:")
        self._put(5, f"port: {self._pick(r.choice(['80', 'http']), self.PORTS)}")
        if r.random() < 0.2:
            self._put(5, f"host: {self._pick('h', ['5', 'null'])}")

    def _grpc(self):
        r = self.rng
        self._put(4, "grpc:")
        self._put(5, f"port: {self._pick('80', self.PORTS)}")
        if r.random() < 0.4:
            self._put(5, f"service: {self._pick('s', ['null', '5', chr(34) * 2])}")
        if self.minor >= 37 and r.random() < 0.2:
            self._put(5, f"mode: {r.choice(['Plaintext', 'TLS', 'x'])}")


GO_STRUCT = re.compile(r"(core\.\w+)\{.*\}:")
PROBES = ("livenessProbe", "readinessProbe", "startupProbe")


def stored(pod):
    """What of a stored pod bears on probes."""
    spec = pod.get("spec", {})
    out = {"name": pod.get("metadata", {}).get("name", ""),
           "restartPolicy": spec.get("restartPolicy"),
           "terminationGracePeriodSeconds": spec.get("terminationGracePeriodSeconds"),
           "hostNetwork": bool(spec.get("hostNetwork"))}
    for field in ("containers", "initContainers", "ephemeralContainers"):
        out[field] = [{k: c[k] for k in ("name", "image", "ports", "restartPolicy", "restartPolicyRules") + PROBES if k in c}
                      for c in spec.get(field) or []]
    return out


def answer(adapter, layer, question, minor=99):
    try:
        return judged(layer, adapter.ask(layer, **question), minor)
    except client.AdapterError as e:
        if e.code in ("crash", "timeout", "protocol"):
            raise
        return {"error": e.code}


def judged(layer, ok, minor=99):
    """What is compared.  Up to 1.22 the text of a decoding error is json-iterator's, with a piece of
    the document in it, and not judged; nor is how Go prints a whole struct, nor a dump behind a line break."""
    if "undecodable" in ok and minor <= 22:
        return {"undecodable": True}
    if layer == "actions":
        return dict(ok, kill=sorted(ok["kill"], key=lambda k: k["cid"]))
    if layer in ("port", "events", "kubectl") or "undecodable" in ok:
        return ok
    texts = [GO_STRUCT.sub(r"\1{...}:", e["text"]).split("\n", 1)[0] for e in ok["errors"]]
    return {"errors": [(e["field"], text) for e, text in zip(ok["errors"], texts)], "warnings": ok["warnings"],
            "pod": stored(ok["pod"])}


class Pair:
    """The adapter in question and the oracle, greeted."""

    def __init__(self, commands, k8s):
        self.sides = []
        self.minor = int(k8s.split(".")[1])
        for command in commands:
            adapter = client.Adapter(command)
            adapter.ask("hello", protocol=1, k8s=k8s, gates={}, seed=1)
            self.sides.append(adapter)

    def answers(self, layer, question):
        return [answer(side, layer, question, self.minor) for side in self.sides]

    def close(self):
        for side in self.sides:
            side.close()


def shrink(pair, question):
    """Leaves out lines of the document as long as the two still differ."""
    lines = question["yaml"].splitlines()
    size = max(1, len(lines) // 2)
    while size:
        i = 0
        while i < len(lines):
            fewer = lines[:i] + lines[i + size:]
            a, b = pair.answers("check", {"yaml": "\n".join(fewer) + "\n"})
            if a != b:
                lines = fewer
            else:
                i += size
        size //= 2
    return {"yaml": "\n".join(lines) + "\n"}


def report(pair, layer, question, seed, args):
    if layer == "check":
        question = shrink(pair, question)
    a, b = pair.answers(layer, question)
    print(f"--- seed {seed} (A: in question, B: oracle)")
    print(question["yaml"] if layer == "check" else json.dumps(question))
    if layer == "check" and set(a) == set(b):
        for key in a:
            if a[key] != b[key]:
                print(f"A {key}: {json.dumps(a[key], ensure_ascii=False)}\nB {key}: {json.dumps(b[key], ensure_ascii=False)}")
    else:
        print(f"A {json.dumps(a, ensure_ascii=False)}\nB {json.dumps(b, ensure_ascii=False)}")
    if args.keep:
        item = {"layer": layer, "ask": question, "ok": pair.sides[1].ask(layer, **question)}
        path, verdicts = draft.write(args.keep, f"draft-{layer}-{args.k8s}-{seed}", item, args.k8s, [f"seed {seed}"], None,
                                     [("in question", shlex.split(args.command)), ("oracle", shlex.split(args.oracle))])
        print(f"written to {path}: " + ", ".join(f"{side}: {verdict}" for side, verdict in verdicts))


def main(argv):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--layer", choices=["port", "check"], required=True)
    parser.add_argument("--k8s", required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--n", type=int, default=1000)
    parser.add_argument("--most", type=int, default=10)
    parser.add_argument("--keep", default="")
    parser.add_argument("command")
    parser.add_argument("oracle")
    args = parser.parse_args(argv)
    if args.n < 1:
        parser.error(f"--n {args.n}: wanted 1 or more")
    minor = int(args.k8s.split(".")[1])
    found = asked = 0
    began = time.time()
    pair = None
    try:
        pair = Pair([shlex.split(args.command), shlex.split(args.oracle)], args.k8s)
        for seed in range(args.seed, args.seed + args.n):
            rng = random.Random(f"{args.layer}/{seed}")
            question = port_question(rng) if args.layer == "port" else {"yaml": Document(rng, minor).text()}
            a, b = pair.answers(args.layer, question)
            asked += 1
            if a != b:
                found += 1
                report(pair, args.layer, question, seed, args)
                if found >= args.most:
                    break
    except (client.AdapterError, OSError, ValueError) as e:
        print(f"documents: {e}", file=sys.stderr)
        return 4
    finally:
        if pair:
            pair.close()
    print(f"documents: {args.layer}, Kubernetes {args.k8s}: {asked} questions, {found} differences, {time.time() - began:.0f} s")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
