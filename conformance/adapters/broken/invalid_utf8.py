# verdict: protocol, exit 1: bytes that are no UTF-8 inside a string.
import base


def spoil(request, reply, say):
    if request["op"] in ("open", "port"):
        refusal = {"id": reply["id"], "error": {"code": "internal", "message": "@"}}
        say(base.encode(refusal).replace(b"@", b"\xff\xfe\xc0\xaf"))
        return True


base.run(spoil)
