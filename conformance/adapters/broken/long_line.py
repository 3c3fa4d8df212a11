# verdict: protocol, exit 1: a reply of 2 MiB; the limit is 1 MiB.
import base


def spoil(request, reply, say):
    if request["op"] in ("open", "port"):
        say(base.encode(reply)[:-1] + b" " * (2 << 20) + b"\n")
        return True


base.run(spoil)
