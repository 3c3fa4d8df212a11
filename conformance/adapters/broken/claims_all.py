# verdict: skip, exit 1: it declares every layer and declines every case, so that nothing is judged.
import base


def spoil(request, reply, say):
    if request["op"] == "hello":
        reply["ok"]["layers"] = ["port", "check", "probe", "pod", "actions", "fire", "events", "kubectl"]
    elif request["op"] != "close":
        refusal = {"code": "unsupported", "message": "not today"}
        say(base.encode({"id": request["id"], "error": refusal}))
        return True


base.run(spoil)
