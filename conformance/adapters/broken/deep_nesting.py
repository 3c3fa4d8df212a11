# verdict: protocol, exit 1: 100,000 arrays in one another; the limit is 64.
import base


def spoil(request, reply, say):
    if request["op"] in ("open", "port"):
        deep = b"[" * 100000 + b"]" * 100000
        say(b'{"id":%d,"ok":{"at":0,"effects":%s}}\n' % (reply["id"], deep))
        return True


base.run(spoil)
