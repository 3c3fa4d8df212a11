// check.cjs SITE OUT: looks at the site in Debian's Chromium, as a file and under a sub-path of a server.  OUT gets the pictures.
// Prints a line a check and "N passed, N failed"; exit code 1 where one failed.
'use strict';

const fs = require('node:fs');
const http = require('node:http');
const path = require('node:path');
const { spawnSync } = require('node:child_process');
const { chromium } = require('playwright-core');
const { comparePlayground } = require('./playground.cjs');
const { checkLinks } = require('./links.cjs');
const { checkSimulated } = require('./simulated.cjs');

const site = path.resolve(process.argv[2]);
const out = path.resolve(process.argv[3]);
const BASE = '/some/where/';
const TYPES = { html: 'text/html', js: 'text/javascript', css: 'text/css', svg: 'image/svg+xml' };
const FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
    '--disable-component-update', '--disable-sync'];
const AXE = fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const PAGES = ['index.html', 'playground.html', 'about.html', 'bugs.html', 'rules/index.html', 'rules/P-048.html', 'rules/E-008.html',
    'cases/index.html', 'cases/liveness-hold-until-new-container.html', 'cases/inherited-started-kills.killed.html',
    'cases/fire-tcp-open.listening.html', 'versions/index.html', 'versions/1.28-to-1.36.html', 'alternates.html', 'search.html?q=initialDelaySeconds'];
const VIEWS = [['wide', 1440, 'light'], ['dark', 1440, 'dark'], ['phone', 390, 'light'], ['small', 320, 'dark']];

const failed = [];
let passed = 0;

/** One check: `wrong` lists what is. */
function check(name, wrong, said = '') {
    if (wrong.length === 0) {
        passed++;
        console.log(`ok   ${name}${said && ': ' + said}`);
        return;
    }
    failed.push(name);
    console.log(`FAIL ${name}${said && ': ' + said}`);
    for (const line of wrong.slice(0, 20))
        console.log(`     ${line}`);
}

let sent = 0; // bytes of bodies

function serve() {
    const server = http.createServer((request, response) => {
        const name = decodeURIComponent(new URL(request.url, 'http://x').pathname);
        const file = path.join(site, name.slice(BASE.length));
        if (!name.startsWith(BASE) || !fs.existsSync(file) || !fs.statSync(file).isFile()) {
            response.writeHead(404).end();
            return;
        }
        response.writeHead(200, { 'content-type': TYPES[path.extname(file).slice(1)] ?? 'application/octet-stream' });
        const body = fs.readFileSync(file);
        sent += body.length;
        response.end(body);
    });
    return new Promise(resolve => server.listen(0, '127.0.0.1', () => resolve(server)));
}

/** A page that notes what must not be: messages on the console, requests that go elsewhere or fail. */
async function open(browser, url, origin, options = {}) {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    const noted = [];
    page.on('console', message => noted.push(`console: ${message.text()}`));
    page.on('pageerror', error => noted.push(`error: ${error.message}`));
    page.on('dialog', dialog => {
        noted.push(`dialog: ${dialog.message()}`);
        dialog.dismiss();
    });
    page.on('request', request => {
        if (!request.url().startsWith(origin) && !/^(blob|data):/.test(request.url()))
            noted.push(`outside request: ${request.url()}`);
    });
    page.on('requestfailed', request => {
        if (!request.url().startsWith('blob:') && !request.failure().errorText.includes('ERR_ABORTED')) // by what came next
            noted.push(`failed: ${request.url()} ${request.failure().errorText}`);
    });
    await page.goto(url);
    if (url.includes('playground'))
        await page.waitForFunction(() => document.body.dataset.answered, null, { timeout: 60000 });
    return { page, context, noted };
}

async function axe(page) {
    await page.evaluate(AXE); // through the driver, which no policy of the page holds back
    const { violations } = await page.evaluate(() => axe.run(document, { resultTypes: ['violations'] }));
    return violations.map(one => `${one.id}: ${one.help}: ${one.nodes.slice(0, 3).map(node => node.target.join(' ')).join(', ')}`);
}

async function look(browser, name, url, origin) {
    const wrong = [];
    for (const [view, width, colorScheme] of VIEWS) {
        const seen = await open(browser, url, origin, { viewport: { width, height: 900 }, colorScheme, reducedMotion: 'reduce' });
        const wide = await seen.page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        wrong.push(...seen.noted.map(note => `${view}: ${note}`), ...(await axe(seen.page)).map(note => `${view}: ${note}`));
        if (wide > 0)
            wrong.push(`${view}: ${wide} px wider than the window`);
        await seen.page.screenshot({ path: path.join(out, `${name.replaceAll('/', '_').split('?')[0]}-${view}.png`) });
        await seen.context.close();
    }
    check(`looks, console, accessibility of ${name}`, wrong);
}

async function searches(browser, base, origin) {
    const seen = await open(browser, base + 'index.html', origin);
    const wrong = [];
    for (const [words, first] of [['P-048', 'P-048'], ['K-10', 'K-10'], ['terminationGracePeriodSeconds startup', ''], ['zzzz', null]]) {
        await seen.page.goto(base + 'index.html');
        await seen.page.fill('header input', words);
        await seen.page.press('header input', 'Enter');
        await seen.page.waitForURL(/search\.html/);
        const found = await seen.page.locator('#found a').allTextContents();
        if (first === null ? found.length > 0 : found.length === 0 || (first && found[0] !== first))
            wrong.push(`${words}: found ${found.slice(0, 3)}`);
    }
    check('search by the form of a page', [...wrong, ...seen.noted]);
    await seen.context.close();
}

async function main() {
    const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find(file => fs.existsSync(file));
    const server = await serve();
    const browser = await chromium.launch({ executablePath, args: FLAGS });
    const origin = `http://127.0.0.1:${server.address().port}`;
    try {
        check('links', ...checkLinks(site));
        for (const name of PAGES)
            await look(browser, name, origin + BASE + name, origin + BASE);
        await searches(browser, origin + BASE, origin + BASE);
        await searches(browser, `file://${site}/`, `file://${site}/`);
        const command = (args, options) => spawnSync(path.resolve('build/probetest'), args, { maxBuffer: 1 << 28, ...options });
        await checkSimulated({ open: (url, options) => open(browser, url, 'file://', options), command, axe, check, out });
        for (const base of [origin + BASE, `file://${site}/`])
            await comparePlayground({ sent: () => sent, open: (url, options) => open(browser, url, base, options), base, check, out, command });
    } finally {
        await browser.close();
        server.close();
    }
    console.log(`${passed} passed, ${failed.length} failed`);
    process.exitCode = failed.length ? 1 : 0;
}

main();
