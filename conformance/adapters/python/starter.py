#!/usr/bin/env python3
"""An adapter to copy: layers `port` and `probe` of Kubernetes 1.37 for plain pods, on one page."""
import json, sys
from types import SimpleNamespace as Box
HELLO = {"protocol": 1, "name": "starter", "version": "1", "language": "Python", "url": "", "k8s": ["1.37"],
         "layers": ["port", "probe"], "observes": ["probe", "result", "started", "ready"], "clock": "virtual",
         "features": ["warning", "unknown"]}  # no kubelet-restart, sidecars, jitter, gates, termination: such cases are skipped
FIRST = {"startup": "unknown", "readiness": "failure", "liveness": "success"}  # results before any answer
FIELD = {"startup": "started", "readiness": "ready", "liveness": "alive"}      # what they say to the status
NONE = {"cid": "", "state": "waiting", "since": 0, "code": 0, "started": False, "ready": False}
def port(value, ports):
    value = next((p.get("containerPort", 0) for p in ports if p.get("name", "") == value), value)
    if isinstance(value, str): return {"invalid": f"port {json.dumps(value, ensure_ascii=False)} not found"}
    return {"port": value} if 1 <= value <= 65535 else {"invalid": f"invalid port number: {value}"}
def emit(e, c, **more): k.out.append({"e": e, "container": c.name, **more})
def put(w, value):  # the results cache tells what is new
    if w.result != value:
        w.result = value
        k.news.append((w.c, w.cid, w.kind, value))
        emit("result", w.c, cid=w.cid, type=w.kind, value=value)
def turn(w):  # a worker's turn, up to the question
    seen = w.c.seen
    if seen["cid"] != w.cid:
        w.cid, w.hold, w.result = seen["cid"], False, None
        put(w, FIRST[w.kind])
    if w.cid and not w.hold and seen["state"] != "running":
        put(w, "failure")
        if over(w.c): del w.c.workers[w.kind]
    elif w.cid and not w.hold and seen["started"] == (w.kind != "startup"):
        if int((k.wall + k.now - seen["since"]) / 1000) >= w.spec.get("initialDelaySeconds", 0): ask(w, 1)
def ask(w, attempt):
    k.asked, w.attempt = k.asked + [w], attempt
    emit("probe", w.c, n=len(k.asked), cid=w.cid, type=w.kind, attempt=attempt)
def answered(w, result):  # from the answer on; after an error it asks again, twice, and then forgets it
    if result == "error" and w.attempt < 3: return ask(w, w.attempt + 1)
    w.attempt, result = 0, {"success": "success", "warning": "success", "error": ""}.get(result, "failure")
    if result: w.run, w.last = w.run + 1 if result == w.last else 1, result
    if result and w.run >= w.spec[result + "Threshold"]:
        put(w, result)
        if w.kind == "startup" or (w.kind, result) == ("liveness", "failure"): w.hold, w.run = True, 0
def over(c): return c.seen["state"] == "exited" and k.policy in ["Never"] + ["OnFailure"] * (c.seen["code"] == 0)
def cached(c, kind): return next((w.result for w in c.workers.values() if (w.kind, w.cid) == (kind, c.seen["cid"])), 0)
def sync():  # the status afresh, stored; then workers for the probes that have none
    for c in k.pod:
        old, c.seen, first = c.seen, dict(c.real), None
        if c.seen["state"] == "running":
            c.seen["started"] = (old["started"] or "startup" not in c.workers) if not (first := cached(c, "startup")) \
                else first == "success"
            c.seen["ready"] = c.seen["started"] and "readiness" not in c.workers or cached(c, "readiness") == "success"
