// simulated.cjs: the page of `simulate --format html` in a browser: what is visible of it is what the command says, at each width.
'use strict';

const fs = require('node:fs');
const path = require('node:path');

const WIDTHS = [1440, 390, 320];
const PAGES = [['hang', ['--hangs-at', '10m', 'conformance/examples/web.yaml']],
    ['versions', ['--k8s', '1.19,1.28,1.36', 'conformance/examples/liveness-exec.yaml']]];

const plain = text => text.replace(/\s+/g, ' ').trim();

/** The lines of text that one can see: of elements with a size, that nothing but scrolling hides. */
function visible() {
    const seen = [];
    for (const element of document.querySelectorAll('main h1, main h2, main p, main pre, main svg text')) {
        const box = element.getBoundingClientRect();
        const style = getComputedStyle(element);
        if (box.width > 0 && box.height > 0 && style.visibility === 'visible' && style.opacity !== '0')
            seen.push(element.textContent);
    }
    return seen.join('\n');
}

/** A line of 80 columns has no room for the word: SIGKILL after (grace) 30 s. */
const narrow = text => text.replaceAll('SIGKILL after grace ', 'SIGKILL after ');

/** What the text begins with: verdict and budget, up to the table. */
function wanted(said) {
    return said.slice(0, said.search(/^ +TIME /m)).split('\n').filter(line => line.trim() && !line.includes('…'))
        .map(line => narrow(plain(line.replace(/\s+\[[A-Z]-\d+\]$/, ''))));
}

exports.checkSimulated = async ({ open, command, axe, check, out }) => {
    for (const [name, words] of PAGES) {
        const file = path.resolve(out, `simulated-${name}.html`);
        const wrong = [];
        const page = command(['simulate', '--format', 'html', ...words]);
        const versions = words[0] === '--k8s' ? words[1].split(',') : ['1.36'];
        fs.writeFileSync(file, page.stdout);
        for (const width of WIDTHS) {
            const seen = await open(`file://${file}`, { viewport: { width, height: 900 } });
            const text = narrow(plain(await seen.page.evaluate(visible)));
            for (const version of versions) {
                const rest = words[0] === '--k8s' ? words.slice(2) : words;
                for (const line of wanted(command(['simulate', '--k8s', version, ...rest]).stdout.toString()))
                    if (!text.includes(line) && !/^change |Probe:|failureThreshold/.test(line))
                        wrong.push(`${width}: not to be seen: ${line}`);
            }
            const wide = await seen.page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
            if (wide > 0)
                wrong.push(`${width}: ${wide} px wider than the window`);
            const lost = await seen.page.evaluate(() => [...document.querySelectorAll('a[href^="#"]')].map(a => a.hash.slice(1))
                .filter(id => !document.getElementById(id)));
            wrong.push(...lost.map(id => `${width}: no text of ${id}`), ...seen.noted, ...(await axe(seen.page)));
            await seen.page.screenshot({ path: path.join(out, `simulated-${name}-${width}.png`), fullPage: false });
            await seen.context.close();
        }
        check(`simulate --format html: ${name}`, wrong, `${WIDTHS.join(', ')} px wide`);
    }
};
