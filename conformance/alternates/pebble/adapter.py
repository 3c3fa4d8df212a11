"""Canonical Pebble's checks: `threshold` of a check of level ready, seen by `pebble health`.  A check is made by
`pebble check --refresh`, which counts as one that is due: its own timer wants a period longer than the timeout."""
import json
import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'adapters', 'lockstep'))
import ends  # noqa: E402
import lockstep  # noqa: E402


class Pebble(lockstep.Program):
    name, language, url = 'pebble', 'Go', 'https://documentation.ubuntu.com/pebble/reference/health-checks/'
    lacks = ('success-threshold', )
    version = lockstep.version_of(r'client +(\S+)', 'pebble', 'version', PEBBLE='/nonexistent')

    def pebble(self, *words):
        return subprocess.run(['pebble', *words], capture_output=True, text=True, check=False, env=self.environment)

    def begin(self, probe):
        self.checked = ends.HTTP()
        self.environment = {**os.environ, 'PEBBLE': self.folder, 'PEBBLE_SOCKET': os.path.join(self.folder, 'socket')}
        os.makedirs(os.path.join(self.folder, 'layers'))
        check = {'override': 'replace', 'level': 'ready', 'period': '1h', 'timeout': f'{lockstep.TIMEOUT}s', 'threshold': probe['failureThreshold'],
                 'http': {'url': f'http://127.0.0.1:{self.checked.port}/'}}
        self.file('layers/001-web.yaml', json.dumps({'checks': {'web': check}}))
        self.run('pebble', 'run', env=self.environment)
        self.process, end = None, time.monotonic() + 20
        while self.pebble('checks').returncode and time.monotonic() < end:
            time.sleep(0.02)

    def ask(self):
        self.process = subprocess.Popen(['pebble', 'check', '--refresh', 'web'], stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log,
                                        env=self.environment)
        return super().ask()

    def settle(self):
        self.process.wait()

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def value(self):
        done = self.pebble('health', '--level', 'ready')
        return {0: 'success', 1: 'failure'}[done.returncode] if done.stdout.strip() in ('healthy', 'unhealthy') else None


lockstep.serve(Pebble)
