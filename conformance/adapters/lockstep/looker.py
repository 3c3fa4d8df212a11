"""looker.py HANDLER WHERE FALL RISE STATE FAULT PORT: a health checker of forty lines, for lockstep_test.py.

It checks as fast as it can and writes up or down into the file STATE.  FAULTs: counts (a failure counts that is not in a row),
dies (at its third check), sleeps (checks nothing); listens: none, it listens at PORT."""
import http.client
import os
import socket
import subprocess
import sys
import time

TIMEOUT = 12  # less than ends.GIVES_UP, and more than a busy machine holds a check that is to be answered


def http_get(port):
    connection = http.client.HTTPConnection('127.0.0.1', int(port), timeout=TIMEOUT)
    connection.request('GET', '/')
    return connection.getresponse().status == 200


def tcp_socket(port):
    time.sleep(0.5)  # ends.TCP
    socket.create_connection(('127.0.0.1', int(port)), timeout=TIMEOUT).close()
    return True


def run(command):
    return subprocess.run(['sh', '-c', command], timeout=TIMEOUT, check=False).returncode == 0


def say(path, word):
    with open(path + '.new', 'w', encoding='ascii') as file:
        file.write(word)
    os.rename(path + '.new', path)


def main(handler, where, fall, rise, state, fault, port):
    listener = socket.create_server(('127.0.0.1', int(port))) if fault == 'listens' else None  # noqa: F841: as long as it runs
    check = {'httpGet': http_get, 'tcpSocket': tcp_socket, 'exec': run}[handler]
    count, last, number = 0, None, 0
    while True:
        number += 1
        if fault == 'sleeps' or fault == 'dies' and number == 3:
            time.sleep(60 if fault == 'sleeps' else 0)
            sys.exit('looker: it is dead')
        try:
            good = check(where)
        except (OSError, http.client.HTTPException, subprocess.TimeoutExpired):
            good = False
        count = count + 1 if good == last or fault == 'counts' else 1
        last = good
        if count >= int(rise if good else fall):
            say(state, 'up' if good else 'down')


main(*sys.argv[1:])
