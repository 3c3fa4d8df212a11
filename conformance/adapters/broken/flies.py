# verdict: not-run, exit 4: it claims a feature that the protocol has not.
import base


def spoil(request, reply, _say):
    if request["op"] == "hello":
        reply["ok"]["features"] = ["flying"]


base.run(spoil)
