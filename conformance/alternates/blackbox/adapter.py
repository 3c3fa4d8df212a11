"""Prometheus' blackbox_exporter: its HTTP, TCP and gRPC probers, configured for what a probe asks."""
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'adapters', 'lockstep'))
import lockstep  # noqa: E402

PROGRAM = 'prometheus-blackbox-exporter'
HELLO = {'protocol': 1, 'name': 'blackbox_exporter', 'version': lockstep.version_of(r'version ([\d.]+)', PROGRAM, '--version'),
         'language': 'Go', 'url': 'https://github.com/prometheus/blackbox_exporter', 'layers': ['fire'],
         'features': ['http', 'tcp', 'grpc', 'tls'], 'observes': ['result'], 'tier': 'contract', 'clock': 'virtual'}


class Declined(Exception):
    """It has no words for that."""


def port_of(port, ports):
    return next((p['containerPort'] for p in ports if p.get('name') == port), port)


def module(request):
    """The module that stands for the probe, and its target."""
    probe, ports, ip = request['probe'], request.get('ports') or [], request.get('podIP') or '127.0.0.1'
    if 'httpGet' in probe:
        get = probe['httpGet']
        scheme = (get.get('scheme') or 'HTTP').lower()
        host = get.get('host') or ip
        headers = {h['name']: h['value'] for h in get.get('httpHeaders') or []}
        http = {'valid_status_codes': list(range(200, 400)), 'headers': headers, 'preferred_ip_protocol': 'ip4',
                'tls_config': {'insecure_skip_verify': True}}
        address = f'[{host}]' if ':' in host else host
        return {'prober': 'http', 'http': http}, f'{scheme}://{address}:{port_of(get["port"], ports)}{get.get("path") or "/"}'
    if 'tcpSocket' in probe:
        return {'prober': 'tcp', 'tcp': {'preferred_ip_protocol': 'ip4'}}, \
            f'{probe["tcpSocket"].get("host") or ip}:{port_of(probe["tcpSocket"]["port"], ports)}'
    if 'grpc' in probe:
        return {'prober': 'grpc', 'grpc': {'service': probe['grpc'].get('service') or '', 'preferred_ip_protocol': 'ip4'}}, \
            f'{ip}:{probe["grpc"]["port"]}'
    raise Declined('it has no exec prober')


def fire(request):
    made, target = module(request)
    made['timeout'] = f'{request["timeout"]}ms'
    port = lockstep.free_port()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'config.yml')
        with open(path, 'w', encoding='utf-8') as file:
            json.dump({'modules': {'probe': made}}, file)  # which is YAML, too
        with subprocess.Popen([PROGRAM, f'--config.file={path}', f'--web.listen-address=127.0.0.1:{port}', '--timeout-offset=0'],
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            try:
                return asked(process, port, target)
            finally:
                process.kill()


def asked(process, port, target):
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    url = f'http://127.0.0.1:{port}/probe?' + urllib.parse.urlencode({'module': 'probe', 'target': target})
    end = time.monotonic() + 20
    while time.monotonic() < end:
        try:
            with opener.open(url) as page:
                good = 'probe_success 1' in page.read().decode()
                return {'result': 'success' if good else 'failure', 'output': ''}
        except urllib.error.HTTPError as error:
            return {'result': 'failure', 'output': error.read().decode(errors='replace')}
        except OSError:
            if process.poll() is not None:
                raise RuntimeError(f'it ended with {process.returncode}') from None
            time.sleep(0.01)
    raise RuntimeError('it does not listen')


for line in sys.stdin:
    asks = json.loads(line)
    try:
        if asks['op'] == 'hello':
            answer = {'ok': HELLO}
        elif asks['op'] == 'fire':
            answer = {'ok': fire(asks)}
        else:
            raise Declined(f'there is no op {asks["op"]} here')
    except Declined as why:
        answer = {'error': {'code': 'unsupported', 'message': str(why)}}
    except Exception as why:  # pylint: disable=broad-except  # one case, not all
        answer = {'error': {'code': 'internal', 'message': f'{type(why).__name__}: {why}'}}
    print(json.dumps({'id': asks['id'], **answer}), flush=True)
