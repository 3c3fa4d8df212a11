"""timeline.py: a case as a picture: a lane for each container and kind of event, to scale; or what is asked and answered, in boxes."""
import json
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
    """The SVG of one trace of a case; where nothing may come, the lanes of what is watched, empty; '' where there is neither."""
    marks = [*given(case), *effects(trace)]
    lanes = list(dict.fromkeys(lane for _, _, lane, _, _ in marks)) or [f'no {word}' for word in case['wanted'].get('watch', [])]
    if not lanes:
        return ''
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


# ---- cases without a history ---------------------------------------------------------------------------

LETTERS = {'+': 'good', '-': 'bad'}
STEP, LINE, PAD, BOX_LINES, GAP = 26, 18, 10, 8, 34


def play(case):
    """What a worker saw, attempt by attempt, and what it told after each."""
    lanes = [('saw', case['wanted']['saw']), ('told', case['wanted']['told'])]
    width = max(LEFT + RIGHT + STEP * max(len(letters) for _, letters in lanes), WIDTH)
    parts = []
    for i, (name, letters) in enumerate(lanes):
        y = TOP + LANE * i + LANE // 2
        parts.append(f'<path d="M{LEFT} {y}H{width - RIGHT}" class="lane"/><text x="{LEFT - 14}" y="{y + 4}" text-anchor="end" class="name">'
                     f'the worker {name}</text>')
        for k, letter in enumerate(letters):
            x = LEFT + STEP * k + STEP // 2
            parts.append(tag('g', f'<title>attempt {k + 1}: {name} {text(letter)}</title>'
                                  f'<circle cx="{x}" cy="{y}" r="9" class="{LETTERS.get(letter, "plain")}"/>'
                                  f'<text x="{x}" y="{y + 4}" text-anchor="middle" class="on">{text(letter)}</text>'))
    bottom = TOP + LANE * len(lanes)
    parts += [f'<text x="{LEFT + STEP * k + STEP // 2}" y="{bottom + 18}" text-anchor="middle">{k + 1}</text>'
              for k in range(0, max(len(letters) for _, letters in lanes), 1 if width == WIDTH else 5)]
    return tag('svg', ''.join(parts), viewBox=f'0 0 {width} {bottom + 26}', klass='timeline', role='img',
               aria_label='What the worker saw and told, attempt by attempt; the same as text follows')


def words(said):
    """A value of the table as lines."""
    if isinstance(said, dict):
        return [f'{key}: {of if isinstance(of, str) else json.dumps(of, ensure_ascii=False)}' for key, of in said.items()]
    if isinstance(said, list):
        return [line for entry in said for line in words(entry)]
    return str(said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)).split('\n')


def containers(pods):
    """Of pods, what makes them differ from any other."""
    usual = {'image', 'imagePullPolicy', 'terminationMessagePath', 'terminationMessagePolicy', 'name'}
    for pod in pods:
        for container in pod['spec'].get('initContainers', []) + pod['spec']['containers']:
            yield f'container {container["name"]}'
            yield from words({key: of for key, of in container.items() if key not in usual})
        yield from words({'phase': pod['status']['phase']} if 'phase' in pod.get('status', {}) else {})


def boxes(case):
    """Of a case without a history, from the question to the answer: (heading, lines)."""
    given_, wanted = case['given'], case['wanted']
    skipped = ('pods', 'server', 'gates', 'for')
    asked = [line for key, of in given_.items() if key not in skipped for line in (words({key: of}) if key in ('port', 'timeout') else words(of))]
    asked += list(containers(given_.get('pods', [])))
    answer = [line for key, of in wanted.items() if key not in ('request', 'end', 'watch') and of != []
              for line in (words(of) if key in ('does', 'kept', 'columns', 'describe', 'errors', 'undecodable') else words({key: of}))]
    heads = {'fire': ('The probe', 'The result'), 'actions': ('What is there', 'The kubelet does'), 'check': ('What is sent', 'The API server says'),
             'port': ('The container', 'The port'), 'events': ('What happened', 'What the API has'), 'kubectl': ('The pod', 'kubectl shows')}
    first, last = heads.get(case['layer'], ('What is given', 'What is wanted'))
    between = words(given_.get('server', [])) + words({'is sent': wanted['request']} if wanted.get('request') else {})
    return [(first, asked or ['nothing']), *([('The server', between)] if between else []),
            (last, answer or ['it is taken' if case['layer'] == 'check' else 'nothing'])]


def cut(line, room):
    return line if len(line) <= room else line[:room - 1] + '…'


def exchange(case):
    """Boxes from the question to the answer, an arrow between each two."""
    shown = boxes(case)
    width = (WIDTH - GAP * (len(shown) - 1)) // len(shown)
    lines = [of[:BOX_LINES] + ([f'and {len(of) - BOX_LINES} lines more'] if len(of) > BOX_LINES else []) for _, of in shown]
    height = PAD * 2 + LINE * (1 + max(map(len, lines)))
    parts = []
    for i, (heading, of) in enumerate(zip((heading for heading, _ in shown), lines)):
        x = i * (width + GAP)
        parts.append(f'<rect x="{x + 1}" y="1" width="{width - 2}" height="{height - 2}" rx="6" class="box"/>'
                     f'<text x="{x + PAD}" y="{PAD + 12}" class="head">{text(heading)}</text>')
        parts += [tag('g', f'<title>{text(line)}</title><text x="{x + PAD}" y="{PAD + 12 + LINE * (k + 1)}" class="name">'
                           f'{text(cut(line, int((width - 2 * PAD) / 7.4)))}</text>') for k, line in enumerate(of)]
        if i > 0:
            parts.append(f'<path d="M{x - GAP + 4} {height // 2}H{x - 6}m-6 -5l6 5l-6 5" class="arrow"/>')
    return tag('svg', ''.join(parts), viewBox=f'0 0 {WIDTH} {height}', klass='timeline', role='img',
               aria_label='From the question to the answer; the same as text follows')


def brief(case):
    """The picture of a case without a history."""
    return play(case) if 'saw' in case['wanted'] else exchange(case)
