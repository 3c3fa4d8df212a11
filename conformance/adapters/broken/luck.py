# verdict: fail, exit 1: it does nothing at all, and so is right wherever nothing is expected.
import base


def spoil(request, reply, _say):
    if request["op"] == "open":
        reply["ok"] = {"at": 0, "effects": []}
    elif request["op"] == "advance":
        reply["ok"] = {"at": request["to"], "effects": []}


base.run(spoil)
