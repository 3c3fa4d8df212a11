// The command in a Web Worker: a small WASI for a program that reads files and writes text.  Nothing here reaches outside.
'use strict';

const E = { ok: 0, badf: 8, inval: 28, noent: 44, notdir: 54, notsup: 58, rofs: 69, spipe: 70 };
const DIR_FD = 3;
const OUTPUT_MAX = 32 << 20;
const FILETYPE = { character: 2, directory: 3, regular: 4 };

class Exit extends Error {
    constructor(code) {
        super(`exit ${code}`);
        this.code = code;
    }
}

/** What one run of the command sees and says: its arguments, its files (name to bytes), and what it wrote. */
class Process {
    constructor(args, files) {
        this.args = args.map(word => new TextEncoder().encode(word + '\0'));
        this.files = files;
        this.written = { 1: [], 2: [] };
        this.room = OUTPUT_MAX;
        this.open = new Map([[0, { bytes: new Uint8Array(), at: 0 }]]);
    }

    view() {
        return new DataView(this.memory.buffer);
    }

    bytes(at, length) {
        return new Uint8Array(this.memory.buffer, at, length);
    }

    named(at, length) {
        return new TextDecoder().decode(this.bytes(at, length)).replace(/^(\.?\/)+/, '');
    }

    /** Each of the iovecs in turn, until one is not taken whole. */
    vectors(iovs, count, out, take) {
        let total = 0;
        for (let i = 0; i < count; i++) {
            const at = this.view().getUint32(iovs + 8 * i, true);
            const length = this.view().getUint32(iovs + 8 * i + 4, true);
            const taken = take(this.bytes(at, length));
            total += taken;
            if (taken < length)
                break;
        }
        this.view().setUint32(out, total, true);
        return E.ok;
    }

    filestat(out, type, size) {
        this.bytes(out, 64).fill(0);
        this.view().setUint8(out + 16, type);
        this.view().setBigUint64(out + 24, 1n, true);
        this.view().setBigUint64(out + 32, BigInt(size), true);
        return E.ok;
    }

    result(code) {
        return { code, stdout: joined(this.written[1]), stderr: joined(this.written[2]) };
    }
}

function joined(pieces) {
    const all = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
    let at = 0;
    for (const piece of pieces) {
        all.set(piece, at);
        at += piece.length;
    }
    return all;
}

/** The functions of wasi_snapshot_preview1 that the command uses, for one process. */
function imports(p) {
    const strings = {
        sizes(list, count, size) {
            p.view().setUint32(count, list.length, true);
            p.view().setUint32(size, list.reduce((sum, word) => sum + word.length, 0), true);
            return E.ok;
        },
        get(list, pointers, buffer) {
            for (const word of list) {
                p.view().setUint32(pointers, buffer, true);
                p.bytes(buffer, word.length).set(word);
                pointers += 4;
                buffer += word.length;
            }
            return E.ok;
        },
    };
    const wasi = {
        args_sizes_get: (count, size) => strings.sizes(p.args, count, size),
        args_get: (pointers, buffer) => strings.get(p.args, pointers, buffer),
        environ_sizes_get: (count, size) => strings.sizes([], count, size),
        environ_get: () => E.ok,
        clock_time_get(id, precision, out) {
            p.view().setBigUint64(out, BigInt(Math.round(Date.now() * 1e6)), true);
            return E.ok;
        },
        random_get(at, length) {
            crypto.getRandomValues(p.bytes(at, length));
            return E.ok;
        },
        proc_exit(code) {
            throw new Exit(code);
        },
        sched_yield: () => E.ok,
        poll_oneoff: () => E.notsup,
        fd_prestat_get(fd, out) {
            if (fd !== DIR_FD)
                return E.badf;
            p.view().setUint32(out, 0, true);
            p.view().setUint32(out + 4, 1, true);
            return E.ok;
        },
        fd_prestat_dir_name(fd, at) {
            p.bytes(at, 1)[0] = '.'.charCodeAt(0);
            return E.ok;
        },
        fd_fdstat_get(fd, out) {
            if (fd > DIR_FD && !p.open.has(fd))
                return E.badf;
            p.bytes(out, 24).fill(0);
            p.view().setUint8(out, fd === DIR_FD ? FILETYPE.directory : FILETYPE.regular);
            p.bytes(out + 8, 16).fill(0xff); // all rights
            return E.ok;
        },
        fd_fdstat_set_flags: () => E.ok,
        fd_filestat_get(fd, out) {
            if (fd === DIR_FD)
                return p.filestat(out, FILETYPE.directory, 0);
            return p.filestat(out, FILETYPE.regular, p.open.get(fd)?.bytes.length ?? 0);
        },
        path_filestat_get(fd, flags, at, length, out) {
            const name = p.named(at, length);
            if (name === '' || name === '.')
                return p.filestat(out, FILETYPE.directory, 0);
            const bytes = p.files.get(name);
            return bytes ? p.filestat(out, FILETYPE.regular, bytes.length) : E.noent;
        },
        path_open(fd, dirflags, at, length, oflags, rights, inheriting, fdflags, out) {
            const bytes = p.files.get(p.named(at, length));
            if (oflags & 9) // create, truncate
                return E.rofs;
            if (!bytes)
                return E.noent;
            if (oflags & 2)
                return E.notdir;
            const opened = Math.max(DIR_FD, ...p.open.keys()) + 1;
            p.open.set(opened, { bytes, at: 0 });
            p.view().setUint32(out, opened, true);
            return E.ok;
        },
        fd_close(fd) {
            p.open.delete(fd);
            return E.ok;
        },
        fd_read(fd, iovs, count, out) {
            const file = p.open.get(fd);
            if (!file)
                return E.badf;
            return p.vectors(iovs, count, out, room => {
                const piece = file.bytes.subarray(file.at, file.at + room.length);
                room.set(piece);
                file.at += piece.length;
                return piece.length;
            });
        },
        fd_seek(fd, offset, whence, out) {
            const file = p.open.get(fd);
            if (!file)
                return E.spipe;
            file.at = Number(offset) + [0, file.at, file.bytes.length][whence];
            p.view().setBigUint64(out, BigInt(file.at), true);
            return E.ok;
        },
        fd_readdir: () => E.notsup,
        fd_write(fd, iovs, count, out) {
            const written = p.written[fd];
            if (!written)
                return E.badf;
            return p.vectors(iovs, count, out, piece => {
                if (piece.length > p.room)
                    throw new Error(`more than ${OUTPUT_MAX >> 20} MB of output`);
                p.room -= piece.length;
                written.push(piece.slice());
                return piece.length;
            });
        },
    };
    return { wasi_snapshot_preview1: wasi };
}

/** `probetest ARGS...` to its end: { code, stdout, stderr }, both as bytes. */
function run(module, args, files) {
    const process = new Process(['probetest', ...args], files);
    try {
        const instance = new WebAssembly.Instance(module, imports(process));
        process.memory = instance.exports.memory;
        instance.exports._start();
        return process.result(0);
    } catch (error) {
        if (error instanceof Exit)
            return process.result(error.code);
        return { ...process.result(134), broken: String(error.message) };
    }
}

let engine;

self.onmessage = ({ data }) => {
    if (data.module)
        engine = data.module;
    for (const [name, args] of data.runs ?? [])
        self.postMessage({ job: data.job, name, args, ...run(engine, args, data.files) });
    self.postMessage({ job: data.job, done: true });
};
