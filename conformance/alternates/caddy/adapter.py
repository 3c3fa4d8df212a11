"""Caddy's active health checks: `health_passes` and `health_fails` of reverse_proxy, seen by who asks the proxy.

The checks go to a port of their own (health_port), so a request of a user never is one."""
import http.server
import json
import os
import sys
import threading
import time
import urllib.error
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'adapters', 'lockstep'))
import ends  # noqa: E402
import lockstep  # noqa: E402


class Backend(http.server.BaseHTTPRequestHandler):
    """What is proxied: always fine."""
    def do_GET(self):
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


class Caddy(lockstep.Program):
    name, language, url = 'caddy', 'Go', 'https://caddyserver.com/docs/caddyfile/directives/reverse_proxy#active-health-checks'
    version = lockstep.version_of(r'v(\S+)', 'caddy', 'version')

    def begin(self, probe):
        self.checked, self.at = ends.HTTP(), lockstep.free_port()
        self.backend = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Backend)
        threading.Thread(target=self.backend.serve_forever, daemon=True).start()
        proxy = {'handler': 'reverse_proxy', 'upstreams': [{'dial': f'127.0.0.1:{self.backend.server_address[1]}'}],
                 'health_checks': {'active': {'uri': '/', 'port': self.checked.port, 'interval': '100ms', 'timeout': f'{lockstep.TIMEOUT}s',
                                              'passes': probe['successThreshold'], 'fails': probe['failureThreshold']}}}
        server = {'listen': [f'127.0.0.1:{self.at}'], 'automatic_https': {'disable': True}, 'routes': [{'handle': [proxy]}]}
        config = {'admin': {'disabled': True}, 'apps': {'http': {'servers': {'s': server}}}}
        home = {'HOME': self.folder, 'XDG_DATA_HOME': self.folder, 'XDG_CONFIG_HOME': self.folder}
        self.run('caddy', 'run', '--config', self.file('caddy.json', json.dumps(config)), env={**os.environ, **home})
        self.listens(self.at)
        self.checked.wait(lockstep.PATIENCE)

    def settle(self):
        time.sleep(0.2)  # it begins the next check whether or not it has counted this one: no check tells that it has

    def value(self):
        try:
            with urllib.request.urlopen(f'http://127.0.0.1:{self.at}/', timeout=10):
                return 'success'
        except urllib.error.HTTPError as error:
            if error.code == 503:
                return 'failure'
            raise

    def stop(self):
        self.backend.shutdown()
        self.backend.server_close()


lockstep.serve(Caddy)
