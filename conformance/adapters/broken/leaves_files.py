# verdict: crash, exit 1: it has temporary files, and is killed.
import os
import signal
import tempfile

import base


def spoil(request, _reply, _say):
    if request["op"] in ("open", "port"):
        folder = tempfile.mkdtemp()
        with open(os.path.join(folder, "log"), "w", encoding="ascii"):
            os.kill(os.getpid(), signal.SIGKILL)


base.run(spoil)
