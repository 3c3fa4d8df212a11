# verdict: protocol, exit 1: the numbers that it resolves are right, but it writes them as texts.
import base


def spoil(request, reply, _say):
    if "port" in reply.get("ok", {}):
        reply["ok"]["port"] = str(reply["ok"]["port"])


base.run(spoil)
