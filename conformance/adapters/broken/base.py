"""What the broken adapters share: a right one (python/naive.py) and a place to break it."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
import naive  # noqa: E402


def encode(reply):
    return json.dumps(reply, separators=(",", ":")).encode() + b"\n"


def run(spoil):
    """Answer rightly, but let spoil(request, reply, say) say something else: it returns True if it did."""
    adapter = naive.Adapter()

    def say(data):
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()

    try:
        for line in sys.stdin.buffer:
            request = json.loads(line)
            reply = adapter.reply(request)
            if not spoil(request, reply, say):
                say(encode(reply))
    except (BrokenPipeError, KeyboardInterrupt):
        sys.exit(0)
