'use strict';
// A probetest adapter in JavaScript: layers `port` and `probe` of Kubernetes 1.37, without dependencies.
// Written from conformance/adapters/README.md and conformance/protocol.md alone.  Run: node adapter.js

const readline = require('readline');

const HELLO = {
  protocol: 1, name: 'javascript-example', version: '1', language: 'JavaScript',
  url: 'conformance/adapters/README.md', k8s: ['1.37'], layers: ['port', 'probe'],
  features: ['sidecars', 'termination', 'warning', 'unknown'],
  observes: ['probe', 'result', 'started', 'ready', 'event'], clock: 'virtual',
};
const EPOCH_MS = Date.UTC(2024, 0, 1);
const KINDS = ['startup', 'readiness', 'liveness']; // the order in which workers are made
const FIRST = {startup: 'unknown', readiness: 'failure', liveness: 'success'};
const SYNCS_PER_INSTANT = 20;

// ---- port ---------------------------------------------------------------------------------

const NAMED = {'\x07': '\\a', '\b': '\\b', '\f': '\\f', '\n': '\\n', '\r': '\\r', '\t': '\\t',
  '\v': '\\v', '"': '\\"', '\\': '\\\\'};

function quote(text) { // as Go prints a string: what is printable stays
  const said = [...text].map((char) => {
    if (NAMED[char]) return NAMED[char];
    if (/[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(char)) return char;
    const hex = char.codePointAt(0).toString(16);
    if (hex.length <= 2 && char < '\x80') return '\\x' + hex.padStart(2, '0');
    return hex.length <= 4 ? '\\u' + hex.padStart(4, '0') : '\\U' + hex.padStart(8, '0');
  });
  return `"${said.join('')}"`;
}

function port(value, ports) {
  if (typeof value === 'string') {
    const named = ports.find((p) => (p.name || '') === value);
    if (!named) return {invalid: `port ${quote(value)} not found`};
    value = named.containerPort || 0;
  }
  return value >= 1 && value <= 65535 ? {port: value} : {invalid: `invalid port number: ${value}`};
}

// ---- texts that Go makes ------------------------------------------------------------------------

function duration(s) { // 1s, 1m10s, 1h0m0s
  const minutes = s >= 60 ? `${Math.floor(s / 60) % 60}m` : '';
  return (s >= 3600 ? `${Math.floor(s / 3600)}h` : '') + minutes + `${s % 60}s`;
}

function expand(word, env) { // $(NAME) from literal values; $$ is $; unknown names stay
  const values = new Map((env || []).map((v) => [v.name, v.valueFrom ? '' : v.value || '']));
  return word.replace(/\$\$|\$\(([^)]*)\)/g, (all, name) => {
    if (all === '$$') return '$';
    return values.has(name) ? values.get(name) : all;
  });
}

// ---- one worker: one probe of one container -----------------------------------------------------

class Worker {
  constructor(pod, container, kind) {
    Object.assign(this, {pod, container, kind});
    this.spec = container.spec[kind + 'Probe'];
    this.periodMs = this.spec.periodSeconds * 1000;
    this.due = pod.now;         // the next tick
    this.poked = false;         // a sync wants it to run now
    this.stopped = false;
    this.attempt = 0;           // 0: it is not waiting for an answer
    this.cid = '';
    this.onHold = false;
    this.result = null;         // what the cache holds for cid
    this.last = null;
    this.run = 0;
    this.deleted = pod.deleted; // a worker keeps the pod as it was when it was made
  }

  emit(e, fields) { this.pod.emit(e, this.container, fields); }

  set(value) {
    if (this.result === value) return;
    this.result = value;
    this.pod.news.push({worker: this, cid: this.cid, value});
    this.emit('result', {cid: this.cid, type: this.kind, value});
  }

  end() { this.container.workers.delete(this.kind); }

  // Is there something to do at this instant?  Then do it.
  step() {
    if (this.attempt > 0) return false;
    if (this.stopped) {
      this.end();
    } else if (this.poked) {
      this.poked = false;
      this.due = this.pod.now + this.periodMs; // the ticker begins anew
      this.turn();
    } else if (this.due <= this.pod.now) {
      while (this.due <= this.pod.now) this.due += this.periodMs; // ticks that were missed are lost
      this.turn();
    } else {
      return false;
    }
    return this.container.workers.get(this.kind) === this;
  }

  turn() {
    const seen = this.container.seen;
    if (!seen || !seen.cid) return;
    if (seen.cid !== this.cid) {
      this.cid = seen.cid;
      this.result = null;
      this.onHold = false;
      if (this.kind === 'startup' && this.container.isInit && seen.started) this.set('success');
      this.set(FIRST[this.kind]);
    }
    if (this.onHold) return;
    if (seen.state !== 'running') {
      this.set('failure');
      if (seen.state === 'exited' && !this.pod.restarts(this.container, seen.code)) this.end();
      return;
    }
    if (this.deleted && this.kind !== 'readiness') {
      this.set('success');
      this.end();
      return;
    }
    const ageS = Math.trunc((this.pod.wallMs + this.pod.now - seen.sinceMs) / 1000);
    if (ageS < (this.spec.initialDelaySeconds || 0)) return;
    if (seen.started === (this.kind === 'startup')) return;
    this.ask(1);
  }

  ask(attempt) {
    if (!['exec', 'httpGet', 'tcpSocket', 'grpc'].some((handler) => handler in this.spec)) {
      const {name, namespace, uid} = this.pod.metadata; // the API refuses such a probe
      this.attempt = 3;
      this.answer({result: 'error', output: `missing probe handler for ${name}_${namespace}(${uid}):${this.container.name}`});
      return;
    }
    this.attempt = attempt;
    this.pod.asked.push(this);
    const n = this.pod.asked.length;
    this.emit('probe', {n, cid: this.cid, type: this.kind, attempt});
  }

  answer({result, output = ''}) {
    if (result === 'error' && this.attempt < 3) {
      this.ask(this.attempt + 1);
      return;
    }
    this.attempt = 0;
    if (result === 'timeout') {
      const words = this.spec.exec.command.map((word) => expand(word, this.container.spec.env));
      const limit = duration(this.spec.timeoutSeconds || 1);
      output = `command timed out: ${quote(words.join(' '))} timed out after ${limit}`;
    } else if (this.spec.exec && result !== 'error') {
      output = Buffer.from(output).subarray(0, 10240).toString(); // more is not read
    }
    if (result === 'warning') this.event('ProbeWarning', `warning: ${output}`);
    if (result === 'failure' || result === 'timeout') this.event('Unhealthy', `failed: ${output}`);
    if (result === 'error') {
      this.event('Unhealthy', `errored and resulted in unknown state: ${output}`);
      return; // an error counts for nothing
    }
    this.count(result === 'success' || result === 'warning' ? 'success' : 'failure');
  }

  event(reason, text) {
    const kind = this.kind[0].toUpperCase() + this.kind.slice(1);
    this.emit('event', {type: 'Warning', reason, message: `${kind} probe ${text}`});
  }

  count(result) {
    this.run = this.last === result ? this.run + 1 : 1;
    this.last = result;
    if (this.run < this.spec[result + 'Threshold']) return;
    this.set(result);
    if (this.kind === 'startup' || (this.kind === 'liveness' && result === 'failure')) {
      this.onHold = true;
      this.run = 0;
    }
  }
}

// ---- the pod and its syncs ----------------------------------------------------------------------

class Pod {
  constructor(request) {
    const spec = request.pod.spec;
    const status = request.pod.status || {};
    this.policy = spec.restartPolicy || 'Always';
    this.metadata = request.pod.metadata || {};
    this.deleted = Boolean(this.metadata.deletionTimestamp);
    this.wallMs = EPOCH_MS + (request.wall || 0);
    this.now = 0;
    this.effects = [];
    this.news = [];
    this.asked = [];
    this.syncs = 0;
    this.over = false;
    const all = (specs, isInit) => (specs || []).map((one) => ({
      name: one.name, spec: one, workers: new Map(), seen: null, told: {started: false, ready: false},
      real: {cid: '', state: 'waiting', sinceMs: 0, code: 0},
      isInit, probed: !isInit || one.restartPolicy === 'Always',
    }));
    this.containers = [...all(spec.containers, false), ...all(spec.initContainers, true)];
    for (const list of [status.containerStatuses, status.initContainerStatuses]) {
      for (const one of list || []) this.takeOver(one);
    }
    this.sync();
    this.settle();
  }

  takeOver(status) { // what runs already when the case begins
    const container = this.find(status.name);
    const {running, terminated} = status.state || {};
    if (!container) return;
    container.real.cid = (status.containerID || '').replace(/^.*:\/\//, '');
    if (running) Object.assign(container.real, {state: 'running', sinceMs: Date.parse(running.startedAt)});
    if (terminated) Object.assign(container.real, {state: 'exited', code: terminated.exitCode});
    container.inherited = status.started;
  }

  find(name) { return this.containers.find((c) => c.name === name); }

  emit(e, container, fields) { this.effects.push({e, container: container.name, ...fields}); }

  restarts(container, code) {
    const policy = container.spec.restartPolicy || this.policy;
    return policy === 'Always' || (policy === 'OnFailure' && code !== 0);
  }

  // UpdatePodStatus, store, AddPod.
  sync() {
    this.syncs++;
    for (const c of this.containers) {
      const before = c.seen ? c.seen.started : c.inherited;
      c.seen = {...c.real, started: false, ready: false};
      c.seen.sinceMs = Math.floor(c.seen.sinceMs / 1000) * 1000; // the cache keeps whole seconds
      if (c.seen.state === 'running') this.judge(c, before);
      if (!c.probed) c.seen.ready = c.seen.state === 'exited' && c.seen.code === 0;
      this.tell(c);
    }
    const regular = this.containers.filter((c) => !c.isInit);
    const ended = (c) => c.seen.state === 'exited' && (this.policy === 'Never' ||
      (this.policy === 'OnFailure' && c.seen.code === 0));
    this.over = this.over || regular.every(ended);
    if (!this.over) this.addPod();
  }

  judge(c, before) {
    const cached = (kind) => {
      const worker = c.workers.get(kind);
      return worker && worker.cid === c.seen.cid ? worker.result : null;
    };
    const startup = cached('startup');
    c.seen.started = startup ? startup === 'success' : Boolean(before) || !c.workers.has('startup');
    if (!c.seen.started || !c.probed) return;
    const reader = c.workers.get('readiness');
    c.seen.ready = !reader || cached('readiness') === 'success';
    if (reader && !c.seen.ready) reader.poked = true; // it may look before or after the store
  }

  addPod() {
    for (const c of this.containers.filter((one) => one.probed)) {
      for (const kind of KINDS) {
        if (!c.spec[kind + 'Probe']) continue;
        if (c.workers.has(kind)) break; // 1.37: the rest of this container is left out
        c.workers.set(kind, new Worker(this, c, kind));
      }
    }
  }

  tell(c) {
    for (const field of ['started', 'ready']) {
      if (c.told[field] === c.seen[field]) continue;
      c.told[field] = c.seen[field];
      this.emit(field, c, {value: c.seen[field]});
    }
  }

  // Workers run until each waits, their news are taken together; until nothing moves any more.
  settle() {
    for (;;) {
      for (const c of this.containers) {
        for (const worker of [...c.workers.values()]) while (worker.step());
      }
      const news = this.news;
      this.news = [];
      if (news.length === 0) return;
      for (const {worker, cid, value} of news) {
        const c = worker.container;
        if (worker.kind === 'liveness' || c.seen.cid !== cid) continue;
        c.seen[worker.kind === 'startup' ? 'started' : 'ready'] = value === 'success';
        this.tell(c);
      }
      const matters = ({worker, value}) => worker.kind !== 'liveness' || value === 'failure';
      if (news.some(matters) && this.syncs < SYNCS_PER_INSTANT) this.sync();
    }
  }

  stop(kinds, containers) {
    for (const c of containers) {
      for (const kind of kinds) if (c.workers.has(kind)) c.workers.get(kind).stopped = true;
    }
  }

  apply(events) {
    let changed = false;
    let stopping = false;
    for (const event of events) {
      const container = this.find(event.container);
      switch (event.e) {
        case 'answer':
          this.asked[event.n - 1].answer(event);
          break;
        case 'running':
          container.real = {cid: event.cid, state: 'running', code: 0,
            sinceMs: this.wallMs + (event.startedAt === undefined ? this.now : event.startedAt)};
          changed = true;
          break;
        case 'exited':
          Object.assign(container.real, {state: 'exited', code: event.code || 0});
          changed = true;
          break;
        case 'waiting':
          container.real.state = 'waiting';
          changed = true;
          break;
        case 'update':
          for (const spec of [...(event.pod.spec.initContainers || []), ...event.pod.spec.containers]) {
            if (this.find(spec.name)) this.find(spec.name).spec = spec;
          }
          changed = true;
          break;
        case 'sync':
          changed = true;
          break;
        case 'delete':
          changed = stopping = this.over = this.deleted = true;
          break;
        case 'remove':
        case 'cleanup':
          this.stop(KINDS, this.containers);
          break;
        default: // what is not known is ignored
      }
    }
    if (changed) this.sync();
    if (stopping) this.stop(['startup', 'liveness'], this.containers.filter((c) => !c.isInit));
  }

  advance(to, events) {
    this.apply(events);
    this.settle();
    while (this.effects.length === 0 && this.now < to) {
      let next = to;
      for (const c of this.containers) {
        for (const w of c.workers.values()) if (w.attempt === 0) next = Math.min(next, w.due);
      }
      this.now = next;
      this.syncs = 0;
      this.settle();
    }
  }

  reply() {
    const effects = this.effects;
    this.effects = [];
    return {at: this.now, effects};
  }
}

// ---- the protocol -------------------------------------------------------------------------------

let pod = null;

const ops = {
  hello: () => HELLO,
  port: (q) => port(q.port, q.ports || []),
  open: (q) => {
    pod = new Pod(q);
    return pod.reply();
  },
  advance: (q) => {
    pod.advance(q.to, q.events || []);
    return pod.reply();
  },
  close: () => {
    pod = null;
    return {};
  },
};

readline.createInterface({input: process.stdin}).on('line', (line) => {
  const q = JSON.parse(line);
  const unsupported = !ops[q.op] || (q.op === 'open' && q.layer !== 'probe');
  const said = unsupported ? {error: {code: 'unsupported', message: `${q.op} ${q.layer || ''}`}} :
    {ok: ops[q.op](q)};
  process.stdout.write(JSON.stringify({id: q.id, ...said}) + '\n');
});
