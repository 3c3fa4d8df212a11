#!/usr/bin/env python3
"""A second, deliberately naive implementation of the layers `port` and `probe`.

It is written from the rules (P-011 ... P-170 and section 2.1 of protocol.md), not from the C engine,
and has another shape on purpose: every worker is a coroutine that reads from top to bottom as the
kubelet's own loop does, waits where that one blocks, and is resumed by a scheduler that looks at all
of them every time.  No wheel, no table of switches, no tricks: it is here to be believed, and to
disagree with the engine when one of the two is wrong.

This file is the adapter; naive_kubelet.py is the manager and its syncs, naive_worker.py the workers,
naive_go.py what Go does to texts and numbers.

    naive.py [--look before|after]

--look says whether a worker that a sync triggers looks at the status before that sync has stored
it or after (P-179: the kubelet does either).
"""
import json
import re
import sys

from naive_go import resolve_port
from naive_kubelet import Kubelet
from naive_worker import FAILURE, SELECT, SLEEP, SUCCESS, Worker  # noqa: F401: for those who build on this

MINORS = range(15, 38)
LAST_PATCH = 99  # a bare minor is its last patch release
FEATURES = ["broken", "clock", "gates", "jitter", "manager", "nostatus", "phase", "restart", "sidecars",
            "termination", "unknown", "warning"]


class Unsupported(Exception):
    """A request that this adapter does not play."""


class BadRequest(Exception):
    """A request that nobody could play."""


class Adapter:
    name = "naive"
    url = "conformance/adapters/README.md"
    kubelet_class = Kubelet

    def __init__(self, look="before"):
        self.look = look
        self.minor, self.patch, self.gates, self.seed = MINORS[-1], LAST_PATCH, {}, 0
        self.case = None

    def op_hello(self, request):
        if request.get("protocol") != 1:
            raise Unsupported("only version 1 of the protocol is known")
        match = re.fullmatch(r"1\.(\d+)(?:\.(\d+))?", str(request.get("k8s", "1.37")))
        if not match or int(match[1]) not in MINORS:
            raise Unsupported(f"no Kubernetes {request.get('k8s')} here")
        self.close_if_open()
        self.minor, self.patch = int(match[1]), int(match[2] or LAST_PATCH)
        self.gates = request.get("gates") or {}
        self.seed = request.get("seed") or 0
        return {"protocol": 1, "name": self.name, "version": "1", "language": "Python",
                "url": self.url,
                "k8s": [f"1.{m}" for m in MINORS], "layers": ["port", "probe"],
                "features": FEATURES,
                "observes": ["probe", "result", "started", "ready", "event"], "clock": "virtual"}

    def close_if_open(self):
        if self.case is not None:
            raise BadRequest("a case is open")

    def op_port(self, request):
        return resolve_port(request["port"], request.get("ports") or [], self.minor)

    def op_open(self, request):
        self.close_if_open()
        self.case = self.make(request)
        return {"at": 0, "effects": self.case.take_effects()}

    def make(self, request):
        """The case that a request opens."""
        if request.get("layer") != "probe":
            raise Unsupported(f"layer {request.get('layer')}")
        for container in (request["pod"]["spec"].get("containers") or []) \
                + (request["pod"]["spec"].get("initContainers") or []):
            for field in Worker.FIELD.values():
                if (container.get(field) or {}).get("periodSeconds", 10) <= 0:
                    raise BadRequest(f"{container['name']}: periodSeconds must be positive")
        version = (self.minor, self.patch)
        return self.kubelet_class(version, self.gates, self.seed, request, self.look)

    def op_advance(self, request):
        if self.case is None:
            raise BadRequest("no case is open")
        to = int(request["to"])
        if to < self.case.now:
            raise BadRequest(f"time would go back from {self.case.now} to {to}")
        self.case.advance(to, request.get("events") or [])
        return {"at": self.case.now, "effects": self.case.take_effects()}

    def op_close(self, _request):
        self.case = None
        return {}

    def reply(self, request):
        """One request, as an object, to one reply."""
        op = getattr(self, "op_" + str(request.get("op")), None)
        try:
            if "id" not in request:
                raise BadRequest("no id")
            if op is None:
                raise Unsupported(f"op {request.get('op')}")
            return {"id": request.get("id"), "ok": op(request)}
        except Unsupported as why:
            return self.refusal(request, "unsupported", why)
        except BadRequest as why:
            return self.refusal(request, "bad-request", why)
        except (KeyError, TypeError, ValueError, AttributeError) as why:
            return self.refusal(request, "bad-request", f"{type(why).__name__}: {why}")

    @staticmethod
    def refusal(request, code, why):
        return {"id": request.get("id"), "error": {"code": code, "message": str(why)}}


def serve(adapter):
    """JSON Lines on stdin and stdout until the runner hangs up."""
    for line in sys.stdin.buffer:
        try:
            request = json.loads(line)
        except (ValueError, RecursionError) as why:
            reply = Adapter.refusal({}, "bad-request", f"not JSON: {why}")
        else:
            reply = adapter.reply(request) if isinstance(request, dict) \
                else Adapter.refusal({}, "bad-request", "not an object")
        sys.stdout.write(json.dumps(reply, separators=(",", ":")) + "\n")
        sys.stdout.flush()


def main(argv):
    look = "before"
    if len(argv) == 2 and argv[0] == "--look" and argv[1] in ("before", "after"):
        look = argv[1]
    elif argv:
        print(__doc__ if argv in (["-h"], ["--help"]) else "usage: naive.py [--look before|after]",
              file=sys.stdout if argv in (["-h"], ["--help"]) else sys.stderr)
        return 0 if argv in (["-h"], ["--help"]) else 2
    serve(Adapter(look))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except (BrokenPipeError, KeyboardInterrupt):
        sys.exit(0)
