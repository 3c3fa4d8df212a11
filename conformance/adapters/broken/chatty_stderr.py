# verdict: pass, exit 0: a mebibyte of log for each reply is nobody's business but its own.
import sys

import base


def spoil(_request, _reply, _say):
    sys.stderr.write(("naive is thinking hard about it" * 32 + "\n") * 1024)


base.run(spoil)
