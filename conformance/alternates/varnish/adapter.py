"""Varnish's backend probes: `.window`, `.threshold`, `.initial`, seen by varnishadm.

A backend is healthy while at least .threshold of the last .window answers were good.  That is successThreshold of
successThreshold + failureThreshold - 1: where one of the two is 1, just the runs that a probe asks for."""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'adapters', 'lockstep'))
import ends  # noqa: E402
import lockstep  # noqa: E402


class Varnish(lockstep.Program):
    name, language, url = 'varnish', 'C', 'https://varnish-cache.org/docs/7.1/reference/vcl-probe.html'
    version = lockstep.version_of(r'varnish-([\d.]+)', 'varnishd', '-V')

    def begin(self, probe):
        good, bad = probe['successThreshold'], probe['failureThreshold']
        self.checked, self.work = ends.HTTP(), os.path.join(self.folder, 'varnish')
        vcl = self.file('vcl', f'''vcl 4.1;
backend b {{
    .host = "127.0.0.1"; .port = "{self.checked.port}";
    .probe = {{ .url = "/"; .interval = 10ms; .timeout = {lockstep.TIMEOUT}s; .window = {good + bad - 1}; .threshold = {good}; .initial = 0; }}
}}
''')
        self.run('varnishd', '-F', '-n', self.work, '-a', os.path.join(self.folder, 'socket'), '-f', vcl, '-s', 'malloc,1m', '-S', 'none', '-j', 'none')
        self.checked.wait(20)

    def value(self):
        done = subprocess.run(['varnishadm', '-n', self.work, 'backend.list', '-j'], capture_output=True, text=True, check=False)
        backends = json.loads(done.stdout)[3]
        return {'healthy': 'success', 'sick': 'failure'}[backends['boot.b']['probe_message'][-1]]


lockstep.serve(Varnish)
