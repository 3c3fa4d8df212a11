"""An adapter to copy: `port`, `probe` of Kubernetes 1.37, plain pods: no restart, sidecars, jitter, gates, termination."""
import json, sys, types
HELLO = {"protocol": 1, "name": "starter", "version": "1", "language": "Python", "url": "", "k8s": ["1.37"], "clock": "virtual",
         "layers": ["port", "probe"], "features": ["warning", "unknown"], "observes": ["probe", "result", "started", "ready"]}
KINDS = {"startup": ("unknown", "started"), "readiness": ("failure", "ready"), "liveness": ("success", "alive")}
UNSEEN = {"cid": "", "state": "waiting", "since": 0, "code": 0, "started": False, "ready": False}
def port(value, ports):
    value = next((p.get("containerPort", 0) for p in ports if p.get("name", "") == value), value)
    if isinstance(value, str): return {"invalid": f"port {json.dumps(value, ensure_ascii=not value.isprintable())} not found"}
    return {"port": value} if 1 <= value <= 65535 else {"invalid": f"invalid port number: {value}"}
def emit(e, c, **more): k.out.append({"e": e, "container": c.name, **more})
def workers(): return [w for c in k.pod for w in c.workers.values()]
def got(c, kind): return next((w.result for w in c.workers.values() if (w.kind, w.cid) == (kind, c.seen["cid"])), None)
def over(c): return c.seen["state"] == "exited" and k.policy in ["Never"] + ["OnFailure"] * (c.seen["code"] == 0)
def put(w, value):  # the results cache tells what is new
    if w.result != value:
        w.result, k.news = value, k.news + [(w.c, w.cid, w.kind, value)]
        emit("result", w.c, cid=w.cid, type=w.kind, value=value)
def do_probe(w):  # what a worker does when it is due or poked: worker.go doProbe, up to the question
    seen, early = w.c.seen, int((k.wall + k.now - w.c.seen["since"]) / 1000) < w.spec.get("initialDelaySeconds", 0)
    if seen["cid"] != w.cid:
        w.cid, w.hold, w.result = seen["cid"], False, None
        put(w, KINDS[w.kind][0])
    if w.cid and not w.hold and seen["state"] != "running":
        put(w, "failure")
        if over(w.c): del w.c.workers[w.kind]
    elif w.cid and not w.hold and not early and seen["started"] == (w.kind != "startup"): proceed(w, "error")
def proceed(w, result):  # ... and from the answer on; an error is asked again, at most three times in all, then forgotten
    if result == "error" and w.attempt < 3 and {"exec", "httpGet", "tcpSocket", "grpc"} & w.spec.keys():
        w.attempt, k.asked = w.attempt + 1, k.asked + [w]
        return emit("probe", w.c, n=len(k.asked), cid=w.cid, type=w.kind, attempt=w.attempt)
    w.attempt, result = 0, {"success": "success", "warning": "success", "error": ""}.get(result, "failure")
    if result: w.run, w.last = w.run + 1 if result == w.last else 1, result
    if result and w.run >= w.spec[result + "Threshold"]:
        put(w, result)
        if w.kind == "startup" or (w.kind, result) == ("liveness", "failure"): w.hold, w.run = True, 0
def sync():  # the status afresh; then workers for the probes that have none
    for c in k.pod:
        old, c.seen, reader = c.seen, dict(c.real), c.workers.get("readiness")
        if c.seen["state"] == "running":
            inherited = not got(c, "startup") and (old["started"] or "startup" not in c.workers)
            c.seen["started"] = inherited or got(c, "startup") == "success"
            c.seen["ready"] = c.seen["started"] and (not reader or got(c, "readiness") == "success")
            if reader and c.seen["started"] and not c.seen["ready"]: reader.poked = True
        tell(c)
    k.over = k.over or all(map(over, k.pod))
    for c, kinds in [] if k.over else [(c, [kind for kind in KINDS if kind + "Probe" in c.spec]) for c in k.pod]:
        for kind in kinds[:next((i for i, kind in enumerate(kinds) if kind in c.workers), 3)]:  # up to one that is there
            c.workers[kind] = types.SimpleNamespace(c=c, kind=kind, spec=c.spec[kind + "Probe"], cid="", result=None, hold=False, last="",
                run=0, attempt=0, poked=False, due=k.now, step=c.spec[kind + "Probe"]["periodSeconds"] * 1000)
def tell(c):  # every change of the stored status
    [emit(field, c, value=c.seen[field]) for field in ("started", "ready") if c.told[field] != c.seen[field]]
    c.told = dict(c.seen)
def settle():  # workers that are due run; what is new may need a sync; until all is quiet
    for w in workers():
        while w.kind in w.c.workers and not w.attempt and (w.poked or w.due <= k.now):
            w.due, w.poked = k.now + w.step if w.poked else w.due + ((k.now - w.due) // w.step + 1) * w.step, False
            do_probe(w)
    for c, cid, kind, value in (news := [k.news.pop(0) for _ in list(k.news)]):
        if c.seen["cid"] == cid: c.seen[KINDS[kind][1]] = value == "success"
        tell(c)
    if any(one[2:] != ("liveness", "success") for one in news) and not k.syncs.append(k.now) and k.syncs.count(k.now) <= 20: sync()
    if news: settle()
def advance(to, events):
    for e, real in [(e, {c.name: c.real for c in k.pod}.get(e.get("container"))) for e in events]:
        if e["e"] == "answer": proceed(k.asked[e["n"] - 1], e["result"])
        if e["e"] == "update": [c.__dict__.update(spec=s) for s in e["pod"]["spec"]["containers"] for c in k.pod if c.name == s["name"]]
        if e["e"] in ("running", "exited", "waiting"): real.update(state=e["e"], code=e.get("code", 0))
        if e["e"] == "running": real.update(cid=e["cid"], since=(k.wall + e.get("startedAt", k.now)) // 1000 * 1000)
    if any(e["e"] in ("running", "exited", "waiting", "sync", "update") for e in events): sync()
    while not settle() and not k.out and k.now < to: k.now = min([to] + [w.due for w in workers() if not w.attempt])
    return {"at": k.now, "effects": [k.out.pop(0) for _ in list(k.out)]}
for q in map(json.loads, sys.stdin):
    if q["op"] == "open":
        k = types.SimpleNamespace(now=0, wall=q.get("wall", 0), out=[], news=[], asked=[], syncs=[], over=False)
        k.policy, k.pod = q["pod"]["spec"]["restartPolicy"], [types.SimpleNamespace(
            name=c["name"], spec=c, workers={}, real=dict(UNSEEN), seen=UNSEEN, told=UNSEEN) for c in q["pod"]["spec"]["containers"]]
    ok = HELLO if q["op"] == "hello" else port(q["port"], q["ports"]) if q["op"] == "port" else {} if q["op"] == "close" else \
        advance(q.get("to", 0), q.get("events", [{"e": "sync"}])) if q["op"] in ("open", "advance") else None
    print(json.dumps({"id": q["id"], **({"error": {"code": "unsupported", "message": q["op"]}} if ok is None else {"ok": ok})}), flush=True)
