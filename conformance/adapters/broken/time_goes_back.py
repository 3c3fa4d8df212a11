# verdict: protocol, exit 1: an instant before the one it had come to.
import base


def spoil(request, reply, _say):
    if request["op"] in ("open", "advance") and "ok" in reply:
        reply["ok"]["at"] = -reply["ok"]["at"] - 1


base.run(spoil)
