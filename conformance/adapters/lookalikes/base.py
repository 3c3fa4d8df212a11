"""What the lookalikes share: python/naive.py with another worker in it."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
import naive  # noqa: E402
from naive import FAILURE, SUCCESS, Worker  # noqa: E402,F401


def serve(name, url, worker):
    """Speak the protocol as that implementation."""
    kubelet = type("Kubelet", (naive.Kubelet,), {"worker_class": worker})
    adapter = type("Adapter", (naive.Adapter,), {"kubelet_class": kubelet})()
    adapter.name, adapter.url = name, url
    try:
        naive.serve(adapter)
    except (BrokenPipeError, KeyboardInterrupt):
        sys.exit(0)
