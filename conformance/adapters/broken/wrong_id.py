# verdict: protocol, exit 1: a reply to another request than the one that was asked.
import base


def spoil(request, reply, _say):
    if request["op"] in ("open", "port"):
        reply["id"] = request["id"] + 1


base.run(spoil)
