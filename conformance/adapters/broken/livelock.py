# verdict: livelock, exit 1: its first instant has effects without end.
import base


name = ""


def spoil(request, reply, _say):
    global name
    if request["op"] == "open":
        name = request["pod"]["spec"]["containers"][0]["name"]
    if request["op"] in ("open", "advance") and "ok" in reply:
        reply["ok"] = {"at": 0, "effects": [{"e": "ready", "container": name, "value": True},
                                            {"e": "ready", "container": name, "value": False}]}


base.run(spoil)
