"""ends.py: what a program checks.  Each end holds a check from when it has come until it is given its answer.

    end.wait(5)             has a check come, or does one come within 5 s?  From then on it is held.
    end.answer('success')   the check that is held ends so; 'failure', or 'timeout': it hears nothing until it gives up,
                            or for GIVES_UP seconds
    end.close()             gives up all it has
"""
import errno
import os
import select
import socket
import struct
import time

GIVES_UP = 16
RESET = struct.pack('ii', 1, 0)  # SO_LINGER: close with a reset


class HTTP:
    """A server at 127.0.0.1, .port, whose replies are 200 and 500."""
    handler = 'httpGet'

    def __init__(self):
        self.listener = socket.create_server(('127.0.0.1', 0), backlog=64)
        self.port, self.held, self.kept = self.listener.getsockname()[1], None, []

    def wait(self, seconds):
        end = time.monotonic() + seconds
        while self.held is None:
            if not select.select([self.listener], [], [], max(0, end - time.monotonic()))[0]:
                return False
            peer, _ = self.listener.accept()
            peer.settimeout(max(1, seconds))
            if self.hears(peer):
                self.held = peer
            else:
                peer.close()
        return True

    def hears(self, peer):
        """The head of a request; one that connects and says nothing is no check."""
        head = b''
        try:
            while b'\r\n\r\n' not in head:
                part = peer.recv(65536)
                if not part:
                    return False
                head += part
        except OSError:
            return False
        return True

    def answer(self, result):
        peer, self.held = self.held, None
        self.kept.append(peer)
        try:
            if result == 'timeout':
                peer.settimeout(GIVES_UP)
                peer.recv(65536)
            else:
                words = b'200 OK' if result == 'success' else b'500 Internal Server Error'
                peer.sendall(b'HTTP/1.1 ' + words + b'\r\nContent-Length: 0\r\nConnection: close\r\n\r\n')
                peer.shutdown(socket.SHUT_WR)
                peer.settimeout(2)
                while peer.recv(65536):  # until it has read that, and closes
                    pass
        except OSError:
            return  # it has gone, or does not give up
        peer.close()

    def close(self):
        for peer in [self.listener, *self.kept, *([self.held] if self.held else [])]:
            peer.close()


class TCP:
    """A port of 127.0.0.1, .port, that can be connected to or not.

    A connection that is being opened is held by a queue that is full: the kernel drops its SYN, which is sent anew after a
    second.  By then the queue has room for one, or nobody listens.  So a check takes a second of real time; and between two of
    them the program has to wait a little, since while nobody listens each would fail."""
    handler = 'tcpSocket'

    def __init__(self):
        # Bound for as long as the end lives, so that nobody is given the port while it does not listen.
        self.bound = self.bind(0)
        self.port = self.bound.getsockname()[1]
        self.shut()

    @staticmethod
    def bind(port):
        bound = socket.socket()
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(('127.0.0.1', port))
        return bound

    def shut(self):
        """Listen, with a queue that is full."""
        self.listener = self.bind(self.port)
        self.listener.listen(0)
        self.filler = socket.create_connection(('127.0.0.1', self.port))

    def opening(self):
        """Connections to the port whose SYN has no answer yet."""
        found = []
        for name in ('/proc/net/tcp', '/proc/net/tcp6'):
            with open(name, encoding='ascii') as table:
                for words in map(str.split, table):
                    if words[3] == '02' and words[2].endswith(f':{self.port:04X}'):
                        found.append(words[1])
        return found

    def wait(self, seconds):
        end = time.monotonic() + seconds
        while not self.opening():
            if time.monotonic() >= end:
                return False
            time.sleep(0.005)
        return True

    def answer(self, result):
        held = self.opening()
        if result == 'success':
            self.listener.accept()[0].close()  # what is connected next fills the queue again
            select.select([self.listener], [], [], GIVES_UP)
            return
        if result == 'failure':
            self.refuse()
        end = time.monotonic() + GIVES_UP
        while set(held) & set(self.opening()) and time.monotonic() < end:
            time.sleep(0.001)
        if result == 'failure':
            self.shut()

    def refuse(self):
        """Nobody listens."""
        for one in (one for one in (self.filler, self.listener) if one.fileno() >= 0):
            one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
            one.close()

    def close(self):
        self.refuse()
        self.bound.close()


class Exec:
    """A command, .command, that ends with 0 or 1 when it is told.

    It is a line of shell and two FIFOs in a folder, so it may run in a container that has the folder mounted (at .inside).  A
    read that ends without a word has met the writer of the answer before, who was about to close."""
    handler = 'exec'

    def __init__(self, folder, inside=None):
        self.folder, self.kept, self.held = folder, [], False
        inside = inside or folder
        for name in ('ask', 'answer'):
            os.mkfifo(os.path.join(folder, name))
            os.chmod(os.path.join(folder, name), 0o666)
        self.command = ['sh', '-c', f'echo >{inside}/ask; until read code <{inside}/answer; do :; done; exit "$code"']
        self.asks = os.open(os.path.join(folder, 'ask'), os.O_RDWR | os.O_NONBLOCK)

    def wait(self, seconds):
        if not self.held and select.select([self.asks], [], [], seconds)[0]:
            self.held = bool(os.read(self.asks, 1))
        return self.held

    def answer(self, result):
        """What reads no more has been ended by its program, and hears nothing."""
        self.held, told = False, self.reader()
        if told is None:
            return
        if result == 'timeout':
            poll = select.poll()
            poll.register(told, 0)
            if not poll.poll(GIVES_UP * 1000):  # an error, as soon as nobody reads any more
                self.kept.append(told)
                return
        else:
            os.write(told, b'0\n' if result == 'success' else b'1\n')
        os.close(told)

    def reader(self):
        """The FIFO, once the command that has asked reads it."""
        end = time.monotonic() + 10
        while time.monotonic() < end:
            try:
                return os.open(os.path.join(self.folder, 'answer'), os.O_WRONLY | os.O_NONBLOCK)
            except OSError as error:
                if error.errno != errno.ENXIO:
                    raise
            time.sleep(0.002)
        return None

    def close(self):
        for one in [self.asks, *self.kept]:
            os.close(one)
