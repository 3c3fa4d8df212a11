# verdict: protocol, exit 1: an effect that the protocol does not have.
import base


def spoil(request, reply, _say):
    if request["op"] == "open" and "ok" in reply:
        reply["ok"]["effects"].append({"e": "sneeze", "container": "app"})


base.run(spoil)
