# verdict: skip, exit 1: it claims all that there is, and declines each case and question.
import base


def spoil(request, reply, say):
    if request["op"] in ("hello", "close"):
        return False
    say(base.encode({"id": request["id"], "error": {"code": "unsupported", "message": "not today"}}))
    return True


base.run(spoil)
