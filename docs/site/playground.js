// The playground: what stands in the form goes to the command in a worker (worker.js), and what it says is shown.
'use strict';

const FILE = 'pod.yaml';
const POD_BYTES_MAX = 16 << 20;
const SHARED_BYTES_MAX = 64 << 10; // longer fragments are lost in messengers and address bars
const RUN_MS_MAX = 20000;
const LINE_PX = 20;
const PIECES_MAX = 200;
const $ = id => document.getElementById(id);
const pod = $('pod');

// ---- the engine -----------------------------------------------------------------------------------

function worker() {
    const url = URL.createObjectURL(new Blob([PROBETEST_WORKER], { type: 'text/javascript' }));
    const fresh = new Worker(url);
    URL.revokeObjectURL(url);
    return fresh;
}

async function unpacked(base64) {
    const packed = Uint8Array.from(atob(base64), character => character.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
    return new Response(stream).arrayBuffer();
}

/** One job at a time; of those that come meanwhile the newest is kept. */
class Engine {
    constructor(told) {
        this.told = told;
        this.job = 0;
        this.module = unpacked(PROBETEST_WASM).then(bytes => WebAssembly.compile(bytes));
        this.module.catch(error => told({ name: 'all', cannot: error.message }));
        this.begin();
    }

    begin() {
        this.worker?.terminate();
        clearTimeout(this.timer);
        this.since = performance.now();
        this.worker = worker();
        this.worker.onmessage = ({ data }) => this.heard(data);
        this.worker.onerror = error => this.told({ name: 'all', cannot: error.message ?? 'no worker' });
        this.module.then(module => this.worker.postMessage({ module }), () => {});
        this.busy = true;
    }

    async ask(question) {
        this.next = question;
        await this.module;
        if (!this.next)
            return;
        if (!this.busy)
            this.send();
        else if (performance.now() - this.since > 1000)
            this.begin(); // the answer to come is not wanted any more
    }

    send() {
        const question = this.next;
        this.next = undefined;
        this.busy = true;
        this.since = performance.now();
        this.job++;
        this.worker.postMessage({ job: this.job, ...question });
        clearTimeout(this.timer);
        this.timer = setTimeout(() => {
            this.told({ name: 'all', late: true });
            this.begin();
        }, RUN_MS_MAX);
    }

    heard(data) {
        if (!data.done) {
            if (data.job === this.job && !this.next)
                this.told(data);
            return;
        }
        clearTimeout(this.timer);
        if (data.job === this.job && data.job)
            this.told({ name: 'all', ms: performance.now() - this.since });
        this.busy = false;
        if (this.next)
            this.send();
    }
}

// ---- the form as words of the command ----------------------------------------------------------------

const fields = [...document.querySelectorAll('[data-option]')];
let opened; // the bytes of a file, as long as nothing else was typed

function versions() {
    return [...new Set([$('k8s').value, $('beside').value].filter(Boolean))];
}

function options() {
    const words = ['--k8s', versions().join(',')];
    for (const field of fields) {
        const lines = field.value.split('\n').map(line => line.trim()).filter(Boolean);
        for (const line of lines)
            words.push(field.dataset.option, line);
    }
    return words;
}

function question() {
    const words = options();
    const runs = [['advice', ['lint', '--k8s', $('k8s').value, '--format', 'json', FILE]]];
    const history = /"?containerStatuses"?\s*:/.test(pod.value);
    $('history').hidden = !history;
    if (history)
        runs.push(['why', ['why', '--k8s', $('k8s').value, FILE]]);
    runs.push(...versions().map((version, i) => [`budget ${i}`, ['budget', '--k8s', version, FILE]]),
        ['svg', ['simulate', ...words, '--format', 'svg', FILE]], ['text', ['simulate', ...words, FILE]]);
    // The same words, for a terminal.
    $('line').textContent = runs.filter(([name]) => name !== 'advice' && name !== 'svg').map(([, words]) =>
        `probetest ${words.map(quoted).join(' ')}`).join('\n');
    return { runs, files: new Map([[FILE, opened ?? new TextEncoder().encode(pod.value)]]) };
}

function quoted(word) {
    return /^[\w./,:=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

// ---- what it says, shown -----------------------------------------------------------------------------

const decoded = bytes => new TextDecoder().decode(bytes);

/** Text with each rule that it names as a link; nothing of it is ever markup. */
function linked(into, text) {
    into.replaceChildren(...text.split(/\b([PSDVEA]-\d{3})\b/).map((piece, i) => {
        if (i % 2 === 0)
            return piece;
        const a = document.createElement('a');
        a.href = `rules/${piece}.html`;
        a.textContent = piece;
        a.className = 'id';
        return a;
    }));
}

let marked = new Map(); // line to severity

/** What lint said: a line of JSON each, or file:line:column: message where it read no pod. */
function pieces(stdout, stderr) {
    const of = (text, one) => text.split('\n').filter(Boolean).map(one);
    return [...of(stdout, JSON.parse), ...of(stderr, line => {
        const at = /^pod\.yaml:(\d+):(\d+): (.*)$/.exec(line);
        return at ? { severity: 'error', line: Number(at[1]), column: Number(at[2]), message: at[3] } : { severity: 'error', message: line };
    })];
}

function element(name, text, of = {}) {
    const made = Object.assign(document.createElement(name), of);
    if (text !== undefined)
        linked(made, text);
    return made;
}

function item(piece) {
    const li = element('li', undefined, { className: piece.severity });
    if (piece.line) {
        const place = element('button', `line ${piece.line}`, { type: 'button' });
        place.addEventListener('click', () => go(piece.line, piece.column));
        li.append(place, ' ');
    }
    li.append(element('span', piece.message));
    if (piece.kubelet?.length)
        li.append(element('span', ` ${piece.kubelet.join(' ')}`));
    if (piece.evidence)
        li.append(element('p', piece.evidence, { className: 'quiet' }));
    if (piece.fix)
        li.append(element('pre', piece.fix, { tabIndex: 0 }));
    return li;
}

function advice(stdout, stderr) {
    const said = pieces(stdout, stderr);
    marked = new Map(said.filter(one => one.line).map(one => [one.line, one.severity]));
    $('advice').replaceChildren(...said.slice(0, PIECES_MAX).map(item));
    return said.length;
}

let picture;

function draw(bytes, code) {
    if (picture)
        URL.revokeObjectURL(picture);
    picture = undefined;
    $('strip').hidden = code !== 0;
    if (code !== 0)
        return;
    picture = URL.createObjectURL(new Blob([bytes], { type: 'image/svg+xml' }));
    $('picture').src = picture;
}

const shown = {}; // what was said last, by name

function show(data) {
    if (data.cannot) {
        $('status').textContent = `This browser cannot run the engine: ${data.cannot}`;
        return;
    }
    if (data.late) {
        $('status').textContent = `Stopped after ${RUN_MS_MAX / 1000} s: a shorter time to play may do.`;
        return;
    }
    if (data.name === 'all') {
        document.body.dataset.answered = String(data.ms);
        return;
    }
    const words = decoded(data.stderr) + (data.broken ? `the command ended: ${data.broken}\n` : '');
    shown[data.name] = data;
    if (data.name === 'advice') {
        const count = advice(decoded(data.stdout), words);
        $('refused').textContent = data.code === 0 ? (count ? '' : 'Nothing to say against it.')
            : data.code === 1 ? `The API server of ${$('k8s').value} refuses this pod.` : 'This holds no pod that can be read.';
        pod.setAttribute('aria-invalid', String(data.code !== 0));
        gutter();
    }
    if (data.name === 'svg')
        draw(data.stdout, data.code);
    if (data.name === 'why')
        linked($('why'), decoded(data.stdout) + words);
    if (data.name.startsWith('budget')) {
        $('promise').hidden = data.code !== 0; // why stands above `Advice` and with the verdict
        linked($('budget'), (data.name === 'budget 0' ? '' : $('budget').textContent + '\n') + decoded(data.stdout) + words);
    }
    if (data.name === 'text') {
        const budgets = Object.keys(shown).filter(name => name.startsWith('budget')).map(name => decoded(shown[name].stdout));
        answer(data.code === 0 ? budgets.reduce((text, budget) => text.replace(budget + '\n', ''), decoded(data.stdout)) : '', words);
    }
}

/** The verdict, which is the first paragraph; what follows it, without the budget that stands above; and what went wrong. */
function answer(text, words) {
    const [verdict, ...rest] = text.split('\n\n');
    linked($('status'), (words + verdict).trimEnd());
    linked($('text'), rest.join('\n\n').trimEnd());
    $('text').hidden = rest.length === 0;
    $('picture').alt = `Timeline: ${verdict}. The same in words follows.`;
}

// ---- line numbers --------------------------------------------------------------------------------------

function go(line, column) {
    const text = pod.value;
    let at = 0;
    for (let i = 1; i < line; i++)
        at = text.indexOf('\n', at) + 1;
    const end = text.indexOf('\n', at);
    pod.focus();
    pod.setSelectionRange(Math.max(at, at + column - 1), end < 0 ? text.length : end);
    pod.scrollTop = Math.max(0, (line - 4) * LINE_PX);
}

let lines = 1;

function gutter() {
    const first = Math.floor(pod.scrollTop / LINE_PX);
    const numbers = [];
    for (let i = first + 1; i <= Math.min(lines, first + Math.ceil(pod.clientHeight / LINE_PX) + 1); i++) {
        const number = document.createElement('span');
        number.textContent = i;
        number.className = marked.get(i) ?? '';
        numbers.push(number);
    }
    $('numbers').replaceChildren(...numbers);
    $('numbers').style.transform = `translateY(${-(pod.scrollTop % LINE_PX)}px)`;
}

// ---- sharing ---------------------------------------------------------------------------------------------

const shared = [pod, $('k8s'), $('beside'), ...fields];

async function piped(bytes, stream, max) {
    const pieces = [];
    let size = 0;
    for (let reader = new Blob([bytes]).stream().pipeThrough(stream).getReader(), got; !(got = await reader.read()).done;) {
        size += got.value.length;
        if (size > max)
            throw new RangeError('too long');
        pieces.push(got.value);
    }
    return new Uint8Array(await new Blob(pieces).arrayBuffer());
}

async function fragment() {
    const said = Object.fromEntries(shared.filter(field => field.value).map(field => [field.id, field.value]));
    const packed = await piped(new TextEncoder().encode(JSON.stringify(said)), new CompressionStream('deflate-raw'), SHARED_BYTES_MAX);
    const base64 = btoa(packed.reduce((all, byte) => all + String.fromCharCode(byte), ''));
    return '#1.' + base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** Whether the address held a whole pod. */
async function restore() {
    const [, version, base64] = /^#(\d+)\.([\w-]+)$/.exec(location.hash) ?? [];
    if (!version)
        return location.hash.length > 1 ? 'The link is cut off: it holds no pod.' : '';
    if (version !== '1')
        return 'The link is of a newer playground.';
    try {
        const packed = Uint8Array.from(atob(base64.replaceAll('-', '+').replaceAll('_', '/')), character => character.charCodeAt(0));
        const said = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(
            await piped(packed, new DecompressionStream('deflate-raw'), POD_BYTES_MAX)));
        for (const field of shared)
            field.value = String(said[field.id] ?? (field.tagName === 'SELECT' && field.id === 'k8s' ? field.value : ''));
        return '';
    } catch {
        return 'The link is cut off or changed: it holds no pod.';
    }
}

async function share() {
    try {
        const own = await fragment();
        history.replaceState(null, '', own);
        await navigator.clipboard?.writeText(location.href);
        $('shared').textContent = navigator.clipboard ? 'The link is copied. The pod is in it, and nowhere else.'
            : 'The link stands in the address bar. The pod is in it, and nowhere else.';
    } catch (error) {
        $('shared').textContent = error instanceof RangeError ? 'This pod is too long for a link.'
            : 'The link stands in the address bar. The pod is in it, and nowhere else.';
    }
}

// ---- all together ------------------------------------------------------------------------------------------

const engine = new Engine(show);

function changed() {
    const text = pod.value; // each look at it makes a copy
    lines = 1;
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1))
        lines++;
    gutter();
    $('shared').textContent = '';
    delete document.body.dataset.answered;
    if (text.length > POD_BYTES_MAX) {
        $('status').textContent = `More than ${POD_BYTES_MAX >> 20} MB: take the command itself.`;
        return;
    }
    engine.ask(question()).catch(() => {}); // told already
}

/** What gzip packed, unpacked: undefined where that is more than a pod may have; throws where it is cut off or broken. */
async function unzipped(file) {
    const reader = file.stream().pipeThrough(new DecompressionStream('gzip')).getReader();
    const pieces = [];
    let size = 0;
    for (;;) {
        const { done, value } = await reader.read();
        if (done)
            return new Uint8Array(await new Blob(pieces).arrayBuffer());
        size += value.length;
        if (size > POD_BYTES_MAX) {
            reader.cancel();
            return undefined;
        }
        pieces.push(value);
    }
}

async function read(file) {
    const magic = new Uint8Array(await file.slice(0, 2).arrayBuffer());
    if (magic[0] === 0x1f && magic[1] === 0x8b)
        return unzipped(file);
    return file.size > POD_BYTES_MAX ? undefined : new Uint8Array(await file.arrayBuffer());
}

async function take(file) {
    let bytes;
    try {
        bytes = await read(file);
    } catch {
        $('status').textContent = `${file.name}: not a whole gzip file.`;
        return;
    }
    if (!bytes) {
        $('status').textContent = `${file.name}: more than ${POD_BYTES_MAX >> 20} MB: take the command itself.`;
        return;
    }
    opened = bytes;
    $('example').value = '';
    pod.value = decoded(opened);
    changed();
}

pod.addEventListener('input', () => {
    opened = undefined;
    $('example').value = '';
    changed();
});
pod.addEventListener('scroll', gutter);
new ResizeObserver(gutter).observe(pod);
for (const field of [$('k8s'), $('beside'), ...fields])
    field.addEventListener('input', changed);
$('file').addEventListener('change', () => $('file').files[0] && take($('file').files[0]));
pod.addEventListener('dragover', event => event.preventDefault());
pod.addEventListener('drop', event => {
    if (event.dataTransfer.files[0]) {
        event.preventDefault();
        take(event.dataTransfer.files[0]);
    }
});
$('example').addEventListener('change', () => {
    const example = PROBETEST_EXAMPLES[$('example').value];
    opened = undefined;
    pod.value = example.pod;
    for (const field of fields)
        field.value = example[field.id] ?? '';
    changed();
});
$('share').addEventListener('click', share);
$('playground').addEventListener('submit', event => event.preventDefault());
window.addEventListener('hashchange', begin);

async function begin() {
    const broken = await restore();
    if (!pod.value)
        pod.value = PROBETEST_EXAMPLES[0].pod;
    $('example').value = PROBETEST_EXAMPLES.findIndex(example => example.pod === pod.value && fields.every(
        field => field.value === (example[field.id] ?? '')));
    changed();
    $('shared').textContent = broken;
}
begin();
