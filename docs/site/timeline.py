"""timeline.py: a case as a picture: a lane for each container and kind of event, to scale."""
import re

from markup import tag, text

WIDTH, LEFT, RIGHT, LANE, TOP = 860, 200, 24, 26, 10
UNITS_MS = {'h': 3600000, 'm': 60000, 's': 1000, 'ms': 1}
BAD = re.compile(r'\b(failure|kill|exited|False|lost|unknown|error|notready|removed|BackOff|Unhealthy|Failed)\b')
GOOD = re.compile(r'\b(success|start|running|ready|started|True|Running|Started)\b')


def milliseconds(duration):
    """Of "1m2.5s"; None of what is no duration."""
    if not re.fullmatch(r'(\d+(\.\d+)?(h|ms|m|s))+', duration):
        return None
    return round(sum(float(number) * UNITS_MS[unit] for number, unit in re.findall(r'([\d.]+)(h|ms|m|s)', duration)))


def seconds(ms):
    return f'{ms / 1000:.3f}'.rstrip('0').rstrip('.') + ' s'


def given(case):
    """What the case does to the pod, as (at_ms, lane, words)."""
    for line in case['given'].get('events', []):
        at, _, words = line.partition(' ')
        ms = milliseconds(at)
        if ms is not None:
            yield ms, ms, 'given: ' + words.split()[0], words.strip(), False


def effects(trace):
    for effect in trace['effects']:
        words = effect['words']
        who = re.sub(r'/\d+$', '', words[0])
        kind = {'probe': words[1:3], 'result': words[1:3]}.get(effect['effect'], words[1:2])
        at = effect.get('at')
        if at is not None:
            yield at, effect.get('until', at), f'{who} {" ".join(kind)}', ' '.join(words), effect.get('maybe', False)


def mark(x, x_until, y, words, maybe, title):
    colour = 'bad' if BAD.search(words) else 'good' if GOOD.search(words) else 'plain'
    bar = f'<path d="M{x} {y}H{x_until}" class="range {colour}"/>' if x_until > x else ''
    return tag('g', f'<title>{text(title)}</title>{bar}<circle cx="{x}" cy="{y}" r="5" class="{colour}{" maybe" if maybe else ""}"/>')


def ticks(span_ms, bottom, x_of):
    step = next(s for s in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 30000, 60000, 120000, 300000, 600000,
                            1800000, 3600000, 7200000, 36000000, 10 ** 12) if span_ms / s <= 8)
    for at in range(0, span_ms + 1, step):
        yield (f'<path d="M{x_of(at)} {TOP}V{bottom}" class="tick"/>'
               f'<text x="{x_of(at)}" y="{bottom + 18}" text-anchor="middle">{seconds(at)}</text>')


def picture(case, trace):
    """The SVG of one trace of a case, or '' where nothing in it has an instant."""
    marks = [*given(case), *effects(trace)]
    if not marks:
        return ''
    lanes = list(dict.fromkeys(lane for _, _, lane, _, _ in marks))
    span = max([until for _, until, *_ in marks] + [case['wanted'].get('end') or 0, 1])

    def x_of(ms):
        return round(LEFT + min(ms, span) * (WIDTH - LEFT - RIGHT) / span, 1)

    bottom = TOP + LANE * len(lanes)
    parts = [*ticks(span, bottom, x_of)]
    for i, lane in enumerate(lanes):
        y = TOP + LANE * i + LANE // 2
        short = lane if len(lane) <= 28 else lane[:27] + '…'
        parts.append(f'<path d="M{LEFT} {y}H{WIDTH - RIGHT}" class="lane"/>'
                     f'<text x="{LEFT - 14}" y="{y + 4}" text-anchor="end" class="name">{text(short)}</text>')
        parts += [mark(x_of(at), x_of(until), y, words, maybe, f'{seconds(at)} {words}')
                  for at, until, of, words, maybe in marks if of == lane]
    return tag('svg', ''.join(parts), viewBox=f'0 0 {WIDTH} {bottom + 26}', klass='timeline', role='img',
               aria_label='Timeline; the same as a list follows')


def rows(case, trace):
    """The same as (time, words, whether it is given), in order."""
    both = [(at, until, words, maybe, False) for at, until, _, words, maybe in effects(trace)]
    both += [(at, until, words, maybe, True) for at, until, _, words, maybe in given(case)]
    for at, until, words, maybe, is_given in sorted(both, key=lambda row: (row[0], not row[4])):
        yield seconds(at) + (f' to {seconds(until)}' if until > at else ''), words + (' (may be missing)' if maybe else ''), is_given
