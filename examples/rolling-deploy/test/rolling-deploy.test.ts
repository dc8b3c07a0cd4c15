// The program as a container runs it: a process of its own, signals, keep-alive clients, no folder for temporary files.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import readline from 'node:readline';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../src/main.js', import.meta.url));

interface Line {
  readonly event: string;
  readonly data: { readonly slot: number; readonly pid: number };
}

/** The program, and the lines that it has written and will write. */
class Container {
  readonly child: ChildProcess;
  readonly exit: Promise<unknown[]>;
  readonly lines: Line[] = [];
  #waiters: (() => void)[] = [];

  constructor(t: TestContext) {
    const env = { WORKERS: '2', PORT: '0', LIVE_PORT: '0', SWEEP_EVERY_MS: '20' };
    this.child = spawn(process.execPath, [program], {
      stdio: ['ignore', 'pipe', 'inherit'],
      // As in a read-only container: nowhere to write.
      env: { ...process.env, ...env, TMPDIR: '/proc/none' },
    });
    t.after(() => void this.child.kill('SIGKILL'));
    this.exit = once(this.child, 'exit');
    readline
      .createInterface({ input: this.child.stdout as NodeJS.ReadableStream })
      .on('line', (line) => {
        this.lines.push(JSON.parse(line));
        for (const wake of this.#waiters.splice(0)) wake();
      });
  }

  /** Resolves with the first line, from line `from` on, that `wanted` accepts. */
  async line(wanted: (line: Line) => boolean, from = 0): Promise<Line> {
    for (;;) {
      const found = this.lines.slice(from).find(wanted);
      if (found) return found;
      await new Promise<void>((resolve) => this.#waiters.push(resolve));
    }
  }

  async ports(): Promise<{ port: number; live: number }> {
    const { data } = await this.line(({ event }) => event === 'ready');
    const { http, live } = data as unknown as Record<'http' | 'live', { port: number }>;
    return { port: http.port, live: live.port };
  }
}

interface Answer {
  readonly status: number | undefined;
  readonly pid: number;
  readonly bytes: number;
}

function ask(port: number, agent: http.Agent, request: http.RequestOptions = {}) {
  const sent = http.request({ port, agent, ...request });
  const answer = once(sent, 'response').then(async ([response]): Promise<Answer> => {
    let body = '';
    for await (const chunk of response) body += chunk;
    return { ...JSON.parse(body || '{}'), status: response.statusCode };
  });
  return { sent, answer };
}

test('SIGHUP under load fails no request, and the job stays with one slot', async (t) => {
  const container = new Container(t);
  const { port, live } = await container.ports();
  const before = container.lines
    .filter(({ event }) => event === 'worker-ready')
    .map(({ data }) => data.pid);
  const agent = new http.Agent({ keepAlive: true, maxSockets: 8 });
  const answered = async () => {
    const { sent, answer } = ask(port, agent);
    sent.end();
    const { status, pid } = await answer;
    assert.equal(status, 200);
    return pid;
  };
  const pids = await Promise.all(Array.from({ length: 8 }, answered));
  assert.ok(pids.every((pid) => before.includes(pid)));
  const upload = ask(port, agent, { method: 'POST', headers: { 'content-length': 4 } });
  upload.sent.end('body');
  await upload.answer;
  let isOver = false;
  const clients = pids.map(async () => {
    while (!isOver) await answered();
  });
  const first = await container.line(({ event }) => event === 'swept');
  container.child.kill('SIGHUP');
  for (const pid of before)
    await container.line(({ event, data }) => event === 'worker-exit' && data.pid === pid);
  const swept = await container.line(({ event }) => event === 'swept', container.lines.length);
  isOver = true;
  await Promise.all(clients);
  assert.ok(!before.includes(await answered()));
  agent.destroy();
  assert.equal(swept.data.slot, first.data.slot);
  assert.notEqual(swept.data.pid, first.data.pid);

  const alive = await fetch(`http://127.0.0.1:${live}/`);
  assert.deepEqual([alive.status, (await alive.json()).ready], [200, 2]);
  const metrics = await (await fetch(`http://127.0.0.1:${live}/metrics`)).text();
  // Counted by a worker that has ended.
  assert.match(metrics, /^uploaded_bytes_total 4$/m);
  container.child.kill('SIGTERM');
  assert.deepEqual(await container.exit, [0, null]);
  assert.ok(container.lines.every(({ event }) => !event.endsWith('-failed')));
});

test('SIGTERM answers what has begun, lets an idle client go, and ends with 0 within the grace', async (t) => {
  const container = new Container(t);
  const { port } = await container.ports();
  const agent = new http.Agent({ keepAlive: true });
  // A client that is idle: its connection stays open.
  const idle = ask(port, agent);
  idle.sent.end();
  await idle.answer;
  // A request that has begun: the server asks for its body.
  const headers = { expect: '100-continue', 'content-length': 4 };
  const upload = ask(port, new http.Agent(), { method: 'POST', headers });
  upload.sent.flushHeaders();
  await once(upload.sent, 'continue');
  const startedAt = performance.now();
  container.child.kill('SIGTERM');
  upload.sent.end('body');
  const { status, bytes } = await upload.answer;
  assert.deepEqual([status, bytes], [200, 4]);
  assert.deepEqual(await container.exit, [0, null]);
  assert.ok(performance.now() - startedAt < 8500);
  agent.destroy();
});

test('SIGTERM while workers start ends with 0, too', async (t) => {
  const container = new Container(t);
  await container.line(({ event }) => event === 'starting');
  container.child.kill('SIGTERM');
  assert.deepEqual(await container.exit, [0, null]);
});
