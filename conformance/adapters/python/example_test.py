"""An example of pytest_probetest: the naive implementation, judged by the contract's thresholds."""
import os
import sys

import pytest_probetest

HERE = os.path.dirname(os.path.abspath(__file__))

test_probes = pytest_probetest.cases([sys.executable, os.path.join(HERE, "naive.py")], "contract/thresholds", "contract/liveness")
