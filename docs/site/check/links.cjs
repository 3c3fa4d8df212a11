// links.cjs: each link, script, style and picture of each page leads to a file of the site, and each fragment to an id there.
'use strict';

const fs = require('node:fs');
const path = require('node:path');

const OUTSIDE = /^https:\/\/github\.com\/kubernetes\/kubernetes\/(blob\/v\d+\.\d+\.\d+\/[\w./-]+(#L\d+)?|issues\/\d+)$/;

function pages(folder) {
    return fs.readdirSync(folder, { withFileTypes: true, recursive: true })
        .filter(entry => entry.isFile() && entry.name.endsWith('.html'))
        .map(entry => path.join(entry.parentPath ?? entry.path, entry.name));
}

/** [what is wrong, what was looked at]. */
function checkLinks(site) {
    const texts = new Map(pages(site).map(file => [file, fs.readFileSync(file, 'utf8')]));
    const ids = new Map();
    const idsOf = file => {
        if (!ids.has(file))
            ids.set(file, new Set([...(texts.get(file) ?? '').matchAll(/<[a-z][^<>]* id="([^"]+)"/g)].map(found => found[1])));
        return ids.get(file);
    };
    const wrong = [];
    let count = 0;
    for (const [file, text] of texts) {
        for (const [, link] of text.matchAll(/<[a-z][^<>]* (?:href|src|action)="([^"]*)"/g)) {
            count++;
            // The alternates' page names the sources of each: other projects' own pages.
            if (OUTSIDE.test(link) || (path.basename(file) === 'alternates.html' && link.startsWith('https://')))
                continue;
            const [name, fragment] = link.split('#');
            const target = name ? path.resolve(path.dirname(file), name) : file;
            if (/^[a-z]+:/i.test(link) || name.startsWith('/') || !target.startsWith(site) || !fs.existsSync(target))
                wrong.push(`${path.relative(site, file)}: ${link}`);
            else if (fragment && fragment !== 'main' && !idsOf(target).has(fragment))
                wrong.push(`${path.relative(site, file)}: ${link}: no such id`);
        }
    }
    return [wrong, `${count} of ${texts.size} pages`];
}

module.exports = { checkLinks };
