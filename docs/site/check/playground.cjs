// playground.cjs: the playground says what the command says, byte for byte, and nothing that a pod holds is ever more than text.
'use strict';

const fs = require('node:fs');
const zlib = require('node:zlib');
const path = require('node:path');

const EXAMPLES = ['conformance/examples', 'docs/site/examples', 'conformance/why/golden'];
const PAGE_BYTES_MAX = 1e6;
const ANSWER_MS_MAX = 50;
const HOSTILE = '<script>alert(1)</script><img src=x onerror=alert(2)>';

const podOf = (name, extra = '') => `apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  containers:
    - name: ${JSON.stringify(name)}
      image: nginx
      livenessProbe: {httpGet: {path: /, port: 80}}
${extra}`;

/** Fill in the form, wait for the answer, and hand out what the engine said: { name: { code, args, stdout, stderr } } as text of bytes. */
async function ask(page, { pod, fields = {}, bytes }) {
    await page.evaluate(fields => {
        for (const field of shared)
            if (field.id !== 'pod')
                field.value = fields[field.id] ?? (field.id === 'k8s' ? '1.36' : '');
        delete document.body.dataset.answered;
        for (const name of Object.keys(shown))
            delete shown[name]; // those of an earlier question
        opened = undefined;
    }, fields);
    if (bytes)
        await page.setInputFiles('#file', { name: 'pod.yaml', mimeType: 'text/yaml', buffer: bytes });
    else
        await page.fill('#pod', pod);
    await page.waitForFunction(size => document.body.dataset.answered && !engine.busy && !engine.next && opened?.length === size,
        bytes?.length, { timeout: 60000 });
    return page.evaluate(() => {
        const latin = bytes => {
            let all = '';
            for (let at = 0; at < bytes.length; at += 32768)
                all += String.fromCharCode(...bytes.subarray(at, at + 32768));
            return all;
        };
        return Object.fromEntries(Object.values(shown).map(said => [said.name,
            { code: said.code, args: said.args, stdout: latin(said.stdout), stderr: latin(said.stderr), broken: said.broken }]));
    });
}

/** What differs from the command, which gets the same words and the same file. */
function differences(said, label, folder, bytes, command) {
    fs.mkdirSync(folder, { recursive: true });
    fs.writeFileSync(path.join(folder, 'pod.yaml'), bytes);
    const wrong = [];
    for (const [name, one] of Object.entries(said)) {
        const real = command(one.args, { cwd: folder });
        for (const [what, mine, its] of [['exit code', one.code, real.status], ['output', one.stdout, real.stdout.toString('latin1')],
            ['errors', one.stderr, real.stderr.toString('latin1')]])
            if (mine !== its)
                wrong.push(`${label}: ${one.args.join(' ')}: ${what}: ${JSON.stringify(String(mine)).slice(0, 120)}, command: ` +
                    JSON.stringify(String(its)).slice(0, 120));
        if (one.broken)
            wrong.push(`${label}: ${name}: ${one.broken}`);
    }
    return wrong;
}

const INPUTS = () => [
    ...EXAMPLES.flatMap(folder => fs.readdirSync(folder).filter(name => name.endsWith('.yaml')).map(name =>
        [name, fs.readFileSync(path.join(folder, name))])),
    ['nothing', Buffer.from('')],
    ['broken YAML', Buffer.from('apiVersion: v1\nkind: Pod\n  metadata: [\n')],
    ['a tab', Buffer.from('apiVersion: v1\nkind: Pod\nmetadata:\n\tname: web\n')],
    ['invalid UTF-8', Buffer.from([...Buffer.from(podOf('web')), 0x23, 0xff, 0xc3, 0x28])],
    ['invalid UTF-8 in a name', Buffer.from(podOf('web').replace('"web"', '"w\xffb"'), 'latin1')],
    ['NUL', Buffer.from(podOf('web') + '\0')],
    ['a script in a name', Buffer.from(podOf(HOSTILE))],
    ['a script in an unknown field', Buffer.from(podOf('web', `      ${JSON.stringify(HOSTILE)}: 1\n`))],
    ['deep nesting', Buffer.from('['.repeat(20000))],
    ['refused', Buffer.from(podOf('web').replace('port: 80', 'port: 800000'))],
];
const FIELDS = [{ k8s: '1.36' }, { k8s: '1.36', beside: '1.19' }, { k8s: '1.15', for: '3m' },
    { k8s: '1.28', answers: 'nginx/liveness: success until 60s, failure' }, { k8s: '1.36', for: 'never' },
    { k8s: '1.36', 'starts-in': '90s' }, { k8s: '1.30', 'hangs-at': '2m', 'down-for': '20s' }, { k8s: '1.36', 'answers-in': '1.2s' },
    { k8s: '1.36', 'stops-in': '45s' }, { k8s: '1.28', 'traffic-for': '10s' }];

async function compare(page, { check, out, command, base }) {
    const wrong = [];
    let count = 0;
    for (const [label, bytes] of INPUTS())
        for (const fields of FIELDS) {
            const said = await ask(page, { bytes, fields });
            wrong.push(...differences(said, label, path.join(out, 'pod'), bytes, command));
            count += Object.keys(said).length;
        }
    check(`playground and command say the same (${base.slice(0, 4)})`, wrong, `${count} runs`);
}

async function hostile(page, { check, base }) {
    const said = await ask(page, { pod: podOf(HOSTILE, `      ${JSON.stringify(HOSTILE)}: 1\n`), fields: { k8s: '1.36' } });
    const wrong = [];
    if (!(said.advice.stdout + said.advice.stderr).includes('<script>'))
        wrong.push('the advice does not speak of it');
    if (!(await page.textContent('#advice')).includes('<script>'))
        wrong.push('it is not shown as text');
    if (await page.locator('main script, main img[src="x"]').count())
        wrong.push('it is an element');
    check(`a script in a name is text (${base.slice(0, 4)})`, wrong);
}

async function lines(page, { check, base }) {
    await ask(page, { pod: 'apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec:\n  containers:\n    - name: [web\n', fields: { k8s: '1.36' } });
    const wrong = [];
    const place = page.locator('#advice button').first();
    const named = Number((await place.textContent()).replace('line ', ''));
    if (!await page.locator('#numbers .error').filter({ hasText: String(named) }).count())
        wrong.push(`line ${named} is not marked`);
    await place.click();
    const at = await page.evaluate(() => pod.value.slice(0, pod.selectionStart).split('\n').length);
    if (at !== named || await page.evaluate(() => document.activeElement.id) !== 'pod')
        wrong.push(`the button leads to line ${at}, not ${named}`);
    if (await page.getAttribute('#pod', 'aria-invalid') !== 'true')
        wrong.push('the text is not marked as invalid');
    check(`an error of YAML is shown at its line (${base.slice(0, 4)})`, wrong);
}

/** One that is too large, and one that is just not. */
async function large(page, { check, out, command, base }) {
    const line = '        - {name: F, value: "' + 'x'.repeat(60) + '"}\n';
    for (const size of [5e6, 4e6]) {
        const bytes = Buffer.from(podOf('web', '      env:\n' + line.repeat(Math.ceil(size / line.length))));
        const began = Date.now();
        const said = await ask(page, { bytes });
        check(`a pod of ${size / 1e6} MB (${base.slice(0, 4)})`, differences(said, 'it', path.join(out, 'pod'), bytes, command),
            `${Date.now() - began} ms; exit code ${said.text.code}`);
    }
}

/** What gzip packed is as if it had not; one that is cut off, or unpacks to too much, is told. */
async function packed(page, { check, base }) {
    const bytes = Buffer.from(podOf('packed'));
    const give = (name, buffer) => page.setInputFiles('#file', { name, mimeType: 'application/gzip', buffer });
    const status = () => page.textContent('#status');
    await ask(page, { pod: podOf('web'), fields: { k8s: '1.36' } });
    await page.evaluate(() => delete document.body.dataset.answered);
    await give('pod.yaml.gz', zlib.gzipSync(bytes));
    await page.waitForFunction(size => document.body.dataset.answered && opened?.length === size, bytes.length, { timeout: 60000 });
    const wrong = await page.inputValue('#pod') === bytes.toString() ? [] : ['it is not unpacked'];
    if (!(await page.textContent('#budget')).includes('packed'))
        wrong.push('its budget is not told');
    for (const [name, buffer, words] of [['cut.gz', zlib.gzipSync(bytes).subarray(0, 60), 'not a whole gzip file'],
        ['noise.gz', Buffer.from([0x1f, 0x8b, 1, 2, 3]), 'not a whole gzip file'],
        ['bomb.gz', zlib.gzipSync(Buffer.alloc(64 << 20)), 'more than 16 MB']]) {
        await give(name, buffer);
        await page.waitForFunction(([name, words]) => document.getElementById('status').textContent.startsWith(`${name}: ${words}`), [name, words],
            { timeout: 60000 }).catch(async () => wrong.push(`${name}: ${await status()}`));
    }
    check(`a packed pod is unpacked (${base.slice(0, 4)})`, wrong);
}

/** The least of many key presses: what the machine does beside it makes them longer, never shorter. */
async function speed(page, { check, base }) {
    await ask(page, { pod: podOf('web'), fields: { k8s: '1.36' } });
    await page.focus('#pod');
    const took = await page.evaluate(async () => {
        const all = [];
        for (let i = 0; i < 40; i++) {
            delete document.body.dataset.answered;
            const began = performance.now();
            pod.value += i % 2 ? '\n' : ' ';
            pod.dispatchEvent(new Event('input', { bubbles: true }));
            const first = await new Promise(resolve => {
                const told = engine.told;
                engine.told = data => {
                    engine.told = told;
                    told(data);
                    resolve(performance.now() - began);
                };
            });
            while (!document.body.dataset.answered)
                await new Promise(resolve => setTimeout(resolve, 1));
            all.push([first, performance.now() - began]);
        }
        return all;
    });
    const [first, all] = [0, 1].map(i => took.map(pair => pair[i]).sort((a, b) => a - b));
    const said = `first answer ${first[0].toFixed(1)} to ${first[20].toFixed(1)} ms (least, median of 40), all ${all[0].toFixed(1)} to ` +
        `${all[20].toFixed(1)} ms`;
    check(`speed behind a key press (${base.slice(0, 4)})`, first[20] < ANSWER_MS_MAX ? [] : [`over ${ANSWER_MS_MAX} ms`], said);
}

async function sharing({ open, base, check }) {
    const first = await open(base + 'playground.html');
    const wrong = [];
    await ask(first.page, { pod: podOf('shared-Ünïcode'), fields: { k8s: '1.22', beside: '1.30', for: '5m' } });
    await first.page.click('#share');
    await first.page.waitForFunction(() => document.getElementById('shared').textContent);
    const url = first.page.url();
    const second = await open(url);
    const [a, b] = await Promise.all([first, second].map(({ page }) => page.evaluate(() => [pod.value, ...['k8s', 'beside', 'for'].map(
        id => document.getElementById(id).value), document.getElementById('text').textContent])));
    if (JSON.stringify(a) !== JSON.stringify(b) || !url.includes('#1.'))
        wrong.push(`${url}: ${JSON.stringify(b).slice(0, 100)}`);
    for (const broken of ['#1.', '#1.AAAA', url.split('#')[1].slice(0, -9), '#2.AAAA', '#x', '#1.%00<script>']) {
        const third = await open(`${base}playground.html${broken.startsWith('#') ? broken : '#' + broken}`);
        if (!/link is/.test(await third.page.textContent('#shared')))
            wrong.push(`${broken}: nothing said`);
        wrong.push(...third.noted);
        await third.context.close();
    }
    check(`a link holds all of it (${base.slice(0, 4)})`, [...wrong, ...first.noted, ...second.noted], `${url.length} characters`);
    await first.context.close();
    await second.context.close();
}

/** A run that takes long does not hold up what is asked next. */
async function impatient(page, { check, out, command, base }) {
    const bytes = Buffer.from(podOf('web').replace('port: 80}', 'port: 80}, periodSeconds: 1'));
    await page.evaluate(text => {
        document.getElementById('for').value = '1111h';
        pod.value = text;
        pod.dispatchEvent(new Event('input', { bubbles: true }));
    }, bytes.toString());
    await page.waitForTimeout(1500);
    const began = Date.now();
    const said = await ask(page, { pod: bytes.toString(), fields: { for: '2m' } });
    check(`a long run is given up for a newer one (${base.slice(0, 4)})`, differences(said, 'it', path.join(out, 'pod'), bytes, command),
        `${Date.now() - began} ms`);
}

async function keyboard(page, { check, base }) {
    await page.evaluate(() => {
        document.activeElement.blur();
        scrollTo(0, 0);
    });
    const reached = new Set();
    for (let i = 0; i < 60; i++) {
        await page.keyboard.press('Tab');
        reached.add(await page.evaluate(() => document.activeElement.id || document.activeElement.textContent));
    }
    const wanted = ['example', 'file', 'pod', 'k8s', 'beside', 'answers', 'share', 'line'];
    check(`each control is reached by Tab (${base.slice(0, 4)})`, wanted.filter(id => !reached.has(id)));
}

async function comparePlayground(all) {
    const before = all.sent();
    const seen = await all.open(all.base + 'playground.html');
    const weight = all.sent() - before;
    if (all.base.startsWith('http'))
        all.check('weight of the playground', weight > 0 && weight < PAGE_BYTES_MAX ? [] : ['over 1 MB'], `${weight} bytes in all`);
    await compare(seen.page, all);
    await hostile(seen.page, all);
    await lines(seen.page, all);
    await packed(seen.page, all);
    await keyboard(seen.page, all);
    await impatient(seen.page, all);
    await speed(seen.page, all);
    await large(seen.page, all);
    all.check(`console and requests of the playground (${all.base.slice(0, 4)})`, seen.noted);
    await seen.context.close();
    await sharing(all);
}

module.exports = { comparePlayground };
