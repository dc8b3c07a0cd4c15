// The router as a process of its own, and real WebSocket clients that connect again when their connection ends.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import readline from 'node:readline';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { WebSocket } from 'ws';
import { slotOf } from '../src/rooms.ts';

interface Joined {
  readonly pid: number;
  readonly version: string;
}

const main = fileURLToPath(new URL('../src/main.js', import.meta.url));

async function startRooms(t: TestContext) {
  const env = { ...process.env, PORT: '0' };
  const child = spawn(process.execPath, [main], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env,
  });
  const exit = once(child, 'exit');
  t.after(async () => {
    child.kill('SIGTERM');
    await exit;
  });
  const [line] = await once(readline.createInterface({ input: child.stdout }), 'line');
  const { port } = JSON.parse(line);
  return { child, exit, port: port as number };
}

/** A member of a room: emits `joined`, also after it has connected again, `text` and, once told to restart, `restart`. */
class Member extends EventEmitter {
  joined: Joined | undefined;
  #socket!: WebSocket;
  readonly #url: string;

  constructor(t: TestContext, port: number, room: string) {
    super();
    this.#url = `ws://127.0.0.1:${port}/rooms/${room}`;
    this.#connect();
    t.after(() => this.#socket.removeAllListeners('close').terminate());
  }

  say(text: string): void {
    this.#socket.send(text);
  }

  #connect(): void {
    this.#socket = new WebSocket(this.#url);
    this.#socket.once('message', (data) => {
      this.joined = JSON.parse(String(data)) as Joined;
      this.emit('joined', this.joined);
      this.#socket.on('message', (text) => this.emit('text', String(text)));
    });
    this.#socket.on('error', () => {}); // `close` follows
    this.#socket.once('close', (code) => {
      if (code === 1012) this.emit('restart');
      else this.#connect();
    });
  }
}

/** Lets members join a room, all at once. */
async function join(t: TestContext, port: number, room: string, count: number) {
  const members = Array.from({ length: count }, () => new Member(t, port, room));
  await Promise.all(members.map((member) => once(member, 'joined')));
  return members;
}

const pidsOf = (members: readonly Member[]) => new Set(members.map(({ joined }) => joined?.pid));
const roomIn = (prefix: string): string => {
  for (let index = 0; ; index++)
    if (slotOf(`room-${index}`).startsWith(prefix)) return `room-${index}`;
};

test('60 members of one room are in one process, and hear each other', async (t) => {
  const { port } = await startRooms(t);
  const members = await join(t, port, roomIn('stable-'), 60);
  assert.equal(pidsOf(members).size, 1);
  const heard = members.map((member) => once(member, 'text'));
  members[0]?.say('hello');
  for (const [text] of await Promise.all(heard)) assert.equal(text, 'hello');
});

test('after a crash all members are together again in the successor, with those that come later', async (t) => {
  const { port } = await startRooms(t);
  const room = roomIn('stable-');
  const members = await join(t, port, room, 20);
  const [pid] = pidsOf(members);
  const again = members.map((member) => once(member, 'joined'));
  process.kill(pid as number, 'SIGKILL');
  await Promise.all(again);
  const [late] = await join(t, port, room, 1);
  assert.deepEqual(pidsOf(members), new Set([late?.joined?.pid]));
  assert.ok(!pidsOf(members).has(pid));
});

test('the canary has its own rooms, and no pages', async (t) => {
  const { port } = await startRooms(t);
  const [tester] = await join(t, port, roomIn('canary-'), 1);
  assert.equal(tester?.joined?.version, '1.1');
  for (let index = 0; index < 40; index++) {
    const response = await fetch(`http://127.0.0.1:${port}/page-${index}`, {
      headers: { connection: 'close' },
    });
    assert.equal(((await response.json()) as Joined).version, '1.0');
  }
  const health = await fetch(`http://127.0.0.1:${port}/healthz`);
  assert.equal(health.status, 200);
});

test('SIGTERM tells members to connect again, and ends with 0', async (t) => {
  const { child, exit, port } = await startRooms(t);
  const members = await join(t, port, roomIn('stable-'), 20);
  const told = members.map((member) => once(member, 'restart'));
  child.kill('SIGTERM');
  await Promise.all(told);
  assert.deepEqual(await exit, [0, null]);
});
