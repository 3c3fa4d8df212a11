"""All requests of a recording at once: what a case asks is known beforehand, where the adapter does as the kubelet did.

A pair of processes that wait for each other takes five times as long as one after the other.
"""

import contextlib
import itertools
import json
import subprocess
import tempfile

import record

LONGEST_S = 30
MORE = 2  # rounds before each event: an adapter may stop where the kubelet had nothing to tell
ROUNDS_MAX = 10000
NEVER_BEGUN = 4000000000  # nobody waits for an answer to it


class Livelock(Exception):
    """The adapter tells without end what happens at one instant."""


def playing(item):
    """Yields the requests of a recorded case, is sent the reply to each, and returns the trace."""
    attempts = record.Attempts()  # the kubelet's
    recorded = {n: which for _, effects in item["trace"] for n, which in attempts.of(effects)}
    trace, attempts, begun, now = [], record.Attempts(), {}, 0

    def take(reply):
        nonlocal now
        now = reply["at"]
        if not reply["effects"]:
            return
        if trace and trace[-1][0] == now:
            trace[-1][1].extend(reply["effects"])
        else:
            trace.append([now, list(reply["effects"])])
        begun.update((which, n) for n, which in attempts.of(reply["effects"]))

    def mine(event):
        return dict(event, n=begun.get(recorded.get(event["n"]), NEVER_BEGUN)) if event["e"] == "answer" else event

    take((yield {"op": "open", **item["open"]}))
    for to, events in item["script"] + [[item["end"], None]]:
        for _ in range(ROUNDS_MAX):
            reply = yield {"op": "advance", "to": to, "events": []}
            take(reply)
            if now >= to and not reply["effects"]:
                break
        else:
            raise Livelock(f"livelock at {now} ms")
        if events is not None:
            take((yield {"op": "advance", "to": now, "events": [mine(event) for event in events]}))
    return trace


def drive(game, ask):
    """The trace, where ask(op, **fields) gives the replies."""
    reply = None
    try:
        while True:
            reply = ask(**game.send(reply))
    except StopIteration as end:
        return end.value


def foreseen(item):
    """The requests of a case, where the adapter does as the kubelet did and counts attempts like it."""
    if "ask" in item:
        return [{"op": item["layer"], **item["ask"]}]
    asked, told = [{"op": "open", **item["open"]}], 0
    for to, events in item["script"] + [[item["end"], None]]:
        before, told = told, sum(at <= to for at, _ in item["trace"])
        asked += [{"op": "advance", "to": to, "events": []}] * (told - before + 1 + MORE)
        if events is not None:
            asked.append({"op": "advance", "to": to, "events": events})
    return asked + [{"op": "close"}]


def followed(item, asked, replies):
    """The trace, or None where another request was due.  Rounds in which nothing comes are no matter."""
    game, now = playing(item), 0
    try:
        wanted = next(game)
        for request, reply in zip(asked, replies):
            if request == wanted:
                wanted, now = game.send(reply), reply["at"]
            elif request.get("events") != [] or reply["effects"] or reply["at"] != now:
                return None
    except StopIteration as end:
        return end.value
    return None


def line_of(number, request):
    if request.get("events") == []:
        return f'{{"id":{number},"op":"advance","to":{request["to"]},"events":[]}}\n'
    return record.dump({"id": number, **request}) + "\n"


def replies_to(command, requests):
    """The lines of reply to all of them; fewer where the adapter ends or gets stuck before."""
    with tempfile.TemporaryFile() as asked, tempfile.TemporaryFile() as told:
        asked.write("".join(map(line_of, itertools.count(), requests)).encode())
        asked.seek(0)
        with contextlib.suppress(subprocess.TimeoutExpired):
            subprocess.run(command, stdin=asked, stdout=told, stderr=subprocess.DEVNULL, timeout=LONGEST_S)
        told.seek(0)
        return told.read().split(b"\n")


def said(lines, first, count):
    """The `ok` of each of these replies, or None where one is missing or is an error."""
    try:
        replies = json.loads(b"[" + b",".join(lines[first:first + count]) + b"]")
        return [reply["ok"] for reply in replies] if [reply["id"] for reply in replies] == list(range(first, first + count)) else None
    except (ValueError, KeyError, TypeError):
        return None


def answers(command, items, hello_of):
    """(item, what it says to hello, its answer or its trace) of each case where all went as foreseen.

    hello_of(item) is the request that has to stand before the item, if it was not the last one of its kind.
    """
    parts, greeted = [], None  # (item or, of a hello, None; requests)
    for item in items:
        hello = hello_of(item)
        if hello != greeted:
            parts.append((None, [hello]))
            greeted = hello
        parts.append((item, foreseen(item)))
    lines = replies_to(command, [request for _, asked in parts for request in asked])
    first, about = 0, None
    for item, asked in parts:
        replies = said(lines, first, len(asked))
        first += len(asked)
        if item is None:
            about = replies and replies[0]
        elif about and replies:
            answer = replies[0] if "ask" in item else followed(item, asked, replies)
            if answer is not None:
                yield item, about, answer
