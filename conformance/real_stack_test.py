#!/usr/bin/env python3
"""Probes against real servers: nginx (HTTP, HTTPS with HTTP/2) and a gRPC health server on grpcio.

    real_stack_test.py PROBETEST

Each row is a probe, what it must come to, and a part of what must be shown.
"""
import concurrent.futures
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

import grpc

NGINX = """
daemon off;
pid {dir}/pid;
error_log {dir}/error.log;
events {{}}
http {{
    access_log {dir}/access.log;
    client_body_temp_path {dir}/body;
    proxy_temp_path {dir}/proxy;
    fastcgi_temp_path {dir}/fastcgi;
    uwsgi_temp_path {dir}/uwsgi;
    scgi_temp_path {dir}/scgi;
    server {{
        listen 127.0.0.1:{http};
        listen [::1]:{http};
        listen 127.0.0.1:{https} ssl http2;
        ssl_certificate {dir}/cert.pem;
        ssl_certificate_key {dir}/key.pem;
        location = /ok {{ default_type text/plain; return 200 "up as $server_protocol\\n"; }}
        location = /agent {{ default_type text/plain; return 200 "$http_user_agent $http_host $http_accept $http_connection\\n"; }}
        location = /moved {{ return 301 /ok; }}
        location = /to-https {{ return 302 https://127.0.0.1:{https}/ok; }}
        location = /away {{ return 302 http://elsewhere.example/; }}
        location = /round {{ return 302 /round; }}
        location = /broken {{ return 503; }}
        location /large {{ root {dir}; }}
    }}
}}
"""

CASES = [
    # scheme, probe, healthy, a part of the reply
    ("path", {"httpGet": {"path": "/ok", "port": "HTTP"}}, True, "up as HTTP/1.1"),
    ("headers", {"httpGet": {"path": "/agent", "port": "HTTP", "httpHeaders": [{"name": "host", "value": "web.example"}]}}, True,
     "kube-probe/1.36 web.example */* close"),
    ("redirect", {"httpGet": {"path": "/moved", "port": "HTTP"}}, True, "up as HTTP/1.1"),
    ("to-https", {"httpGet": {"path": "/to-https", "port": "HTTP"}}, True, "up as HTTP/2.0"),
    ("away", {"httpGet": {"path": "/away", "port": "HTTP"}}, True, "Probe terminated redirects, Response body: <html>"),
    ("round", {"httpGet": {"path": "/round", "port": "HTTP"}}, False, "stopped after 10 redirects"),
    ("broken", {"httpGet": {"path": "/broken", "port": "HTTP"}}, False, "HTTP probe failed with statuscode: 503"),
    ("missing", {"httpGet": {"path": "/nothing", "port": "HTTP"}}, False, "HTTP probe failed with statuscode: 404"),
    ("large", {"httpGet": {"path": "/large", "port": "HTTP"}}, True, "0123456789"),
    ("ipv6", {"httpGet": {"path": "/ok", "port": "HTTP", "host": "::1"}}, True, "up as HTTP/1.1"),
    ("https", {"httpGet": {"path": "/ok", "port": "HTTPS", "scheme": "HTTPS"}}, True, "up as HTTP/2.0"),
    ("http-to-tls", {"httpGet": {"path": "/ok", "port": "HTTPS"}}, False, "HTTP probe failed with statuscode: 400"),
    ("https-to-plain", {"httpGet": {"path": "/ok", "port": "HTTP", "scheme": "HTTPS"}}, False,
     "http: server gave HTTP response to HTTPS client"),
    ("tcp", {"tcpSocket": {"port": "HTTP"}}, True, ""),
    ("grpc", {"grpc": {"port": "GRPC"}}, True, "service healthy"),
    ("grpc-service", {"grpc": {"port": "GRPC", "service": "down"}}, False, 'service unhealthy (responded with "NOT_SERVING")'),
    ("grpc-unknown", {"grpc": {"port": "GRPC", "service": "none"}}, False,
     "error: health rpc probe failed: rpc error: code = NotFound desc = unknown service"),
    ("grpc-slow", {"grpc": {"port": "GRPC", "service": "slow"}, "timeoutSeconds": 1}, False, "timeout: health rpc did not complete within 1s"),
    ("grpc-to-nginx", {"grpc": {"port": "HTTP"}, "timeoutSeconds": 1}, False, "timeout: failed to connect service"),
    ("grpc-without-health", {"grpc": {"port": "BARE"}}, False, "error: this server does not implement the grpc health protocol"),
]


def free_port():
    """A port of those that nobody is given who asks for any, so that nobody has it when its server comes."""
    with open("/proc/sys/net/ipv4/ip_local_port_range", encoding="ascii") as file:
        given_from = int(file.read().split()[0])
    for port in random.sample(range(given_from // 2, given_from), 100):
        with socket.socket() as one:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as nginx does: connections that are over hold a port for a minute
            try:
                one.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue
    raise OSError("no free port")


def check(request, context):
    """grpc.health.v1.Health/Check over bytes: field 1 is the service, the answer's field 1 the status."""
    service = request[2:].decode()
    if service == "slow":
        time.sleep(3)
    if service == "none":
        context.abort(grpc.StatusCode.NOT_FOUND, "unknown service")
    return bytes([8, 2 if service == "down" else 1])


def grpc_server(with_health):
    server = grpc.server(concurrent.futures.ThreadPoolExecutor(4))
    if with_health:
        method = grpc.unary_unary_rpc_method_handler(check)
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("grpc.health.v1.Health", {"Check": method}),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    return server, port


def start_nginx(folder, http, https):
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=throw-away", "-keyout",
                    folder + "/key.pem", "-out", folder + "/cert.pem"], check=True, capture_output=True)
    with open(folder + "/large", "w", encoding="ascii") as file:
        file.write("0123456789" * 100000)
    with open(folder + "/nginx.conf", "w", encoding="ascii") as file:
        file.write(NGINX.format(dir=folder, http=http, https=https))
    nginx = subprocess.Popen([shutil.which("nginx") or "/usr/sbin/nginx", "-p", folder, "-c", folder + "/nginx.conf"],
                             stderr=subprocess.DEVNULL)
    while nginx.poll() is None:
        if os.path.exists(folder + "/pid"):  # it has its ports; who else answers there is not it
            return nginx
        time.sleep(0.05)
    return None


def start_nginx_somewhere(folder, ports):
    """Other tests take ports below those that the kernel gives, too: nginx tries five pairs of them."""
    for _ in range(5):
        ports.update(HTTP=free_port(), HTTPS=free_port())
        nginx = start_nginx(folder, ports["HTTP"], ports["HTTPS"])
        if nginx:
            return nginx
    with open(folder + "/error.log", encoding="utf-8") as file:
        sys.exit("nginx does not start: " + file.read())


def fire(probetest, probe):
    """What is to be answered has a minute for it, however busy the machine is."""
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "real"},
           "spec": {"containers": [{"name": "c", "image": "i", "livenessProbe": {"timeoutSeconds": 60, **probe}}]}}
    done = subprocess.run([probetest, "probe", "--json", "-"], input=json.dumps(pod), capture_output=True, text=True, timeout=300)
    lines = done.stdout.splitlines()
    return done.returncode, json.loads(lines[0]) if len(lines) == 1 else {"error": done.stderr}


def watch(probetest, probe, until):
    """--watch, interrupted once a line is such, or kills: its exit code and its lines."""
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "real"},
           "spec": {"containers": [{"name": "c", "image": "i", "livenessProbe": {**probe, "periodSeconds": 1, "timeoutSeconds": 60, "failureThreshold": 1}}]}}
    child = subprocess.Popen([probetest, "probe", "--watch", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    child.stdin.write(json.dumps(pod))
    child.stdin.close()
    lines = []
    for text in child.stdout:
        lines.append(json.loads(text))
        if until(lines[-1]) or lines[-1].get("effect", {}).get("reason") == "Killing":
            child.send_signal(signal.SIGINT)
    return child.wait(300), lines


def check_watch(probetest, ports):
    """Live answers reach the engine: a healthy pod stays, a broken one is restarted; an interrupt ends both."""
    problems = []
    code, lines = watch(probetest, {"httpGet": {"path": "/ok", "port": ports["HTTP"]}},
                        lambda line: line.get("world", "").endswith("liveness success: up as HTTP/1.1"))
    if code != 0:
        problems.append(f"watch of a healthy pod: exit code {code}, {lines}")
    code, lines = watch(probetest, {"httpGet": {"path": "/broken", "port": ports["HTTP"]}},
                        lambda line: line.get("effect", {}).get("reason") == "Killing")
    if code != 1:
        problems.append(f"watch of a broken pod: exit code {code}, {lines}")
    for problem in problems:
        print(problem)
    return len(problems)


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # and nothing is left
    folder = tempfile.mkdtemp(prefix="probetest-real-")
    os.chmod(folder, 0o755)
    servers = [grpc_server(True), grpc_server(False)]
    ports = {"GRPC": servers[0][1], "BARE": servers[1][1]}
    nginx = start_nginx_somewhere(folder, ports)
    failed = 0
    try:
        for name, probe, healthy, part in CASES:
            kind, fields = next(iter(probe.items()))
            code, got = fire(sys.argv[1], {**probe, kind: {**fields, "port": ports[fields["port"]]}})
            text = got.get("output", got.get("error", ""))
            if code != (0 if healthy else 1) or part not in text or len(text.encode()) > 10300:
                failed += 1
                print(f"{name}: exit code {code}, {got}\n  wanted {'healthy' if healthy else 'not healthy'}, with {part!r}")
        failed += check_watch(sys.argv[1], ports)
    finally:
        nginx.terminate()
        nginx.wait()
        shutil.rmtree(folder)
    print(f"real servers: {len(CASES)} probes, 2 watches, {failed} problems")
    os._exit(1 if failed else 0)  # grpcio's threads do not hold it up


main()
