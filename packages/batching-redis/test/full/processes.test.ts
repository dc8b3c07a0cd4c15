import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { engineProgram, lives, startRedisServer, until } from '@ticketing/test-kit';
import { expect, test } from 'vitest';

const PROCESSES = 4;
const CALLERS = 250;
const LEASE_MS = 1000;

type Message =
  | { readonly kind: 'ready' | 'load' }
  | { readonly kind: 'answers'; readonly answers: readonly string[]; readonly ms: number };

interface Member {
  readonly child: ChildProcess;
  readonly messages: Message[];
}

async function startMembers(url: string, loadMs: number): Promise<Member[]> {
  const members = Array.from({ length: PROCESSES }, () => {
    const child = fork(
      new URL('member.mjs', import.meta.url),
      [url, String(CALLERS), String(loadMs), String(LEASE_MS)],
      { execArgv: ['--conditions=@ticketing/source'] },
    );
    const messages: Message[] = [];
    child.on('message', (message) => messages.push(message as Message));
    return { child, messages };
  });
  await until(() => members.every(({ messages }) => messages.length > 0), 'the start of members');
  return members;
}

const loadsOf = (members: readonly Member[]) =>
  members.flatMap(({ messages }) => messages.filter(({ kind }) => kind === 'load')).length;

const answersOf = (members: readonly Member[]) =>
  members.flatMap(({ messages }) =>
    messages.flatMap((message) => (message.kind === 'answers' ? [message] : [])),
  );

async function end(members: readonly Member[]): Promise<void> {
  for (const { child } of members) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const ended = once(child, 'exit');
    child.disconnect();
    await ended;
  }
  expect(members.filter(({ child }) => child.pid !== undefined && lives(child.pid))).toEqual([]);
}

/** All ask for a key, and one of them loads it. */
async function startLoad(url: string) {
  const members = await startMembers(url, 300);
  for (const { child } of members) child.send('a');
  await until(() => loadsOf(members) === 1, 'the first load');
  const leader = members.find(({ messages }) => messages.some(({ kind }) => kind === 'load'));
  return { members, leader: leader?.child };
}

const withRedis = test.skipIf(engineProgram('redis') === undefined);

withRedis('four processes, 1,000 callers: one load, one answer', async () => {
  await using server = await startRedisServer();
  const members = await startMembers(server.url, 300);
  for (const { child } of members) child.send('a');
  await until(() => answersOf(members).length === PROCESSES, 'the answers');
  expect(loadsOf(members)).toBe(1);
  expect(new Set(answersOf(members).flatMap(({ answers }) => answers)).size).toBe(1);
  const longest = Math.max(...answersOf(members).map(({ ms }) => ms));
  console.log(`4 processes x 250 callers, a load of 300 ms: 1 load, ${Math.round(longest)} ms`);
  await end(members);
});

withRedis(
  'the leader is killed: another process loads after the lease, once, and the callers get that',
  async () => {
    await using server = await startRedisServer();
    const { members, leader } = await startLoad(server.url);
    leader?.kill('SIGKILL');
    await until(() => answersOf(members).length === PROCESSES - 1, 'the answers of the others');
    expect(loadsOf(members)).toBe(2);
    expect(new Set(answersOf(members).flatMap(({ answers }) => answers)).size).toBe(1);
    const longest = Math.max(...answersOf(members).map(({ ms }) => ms));
    console.log(`its leader killed, leases of ${LEASE_MS} ms: 2 loads, ${Math.round(longest)} ms`);
    await end(members);
  },
);

withRedis(
  'the leader is stopped, then goes on: its late outcome changes nothing, and its callers have an answer',
  async () => {
    await using server = await startRedisServer();
    const { members, leader } = await startLoad(server.url);
    leader?.kill('SIGSTOP');
    await until(() => answersOf(members).length === PROCESSES - 1, 'the answers of the others');
    leader?.kill('SIGCONT');
    await until(() => answersOf(members).length === PROCESSES, 'the answer of the first');
    expect(loadsOf(members)).toBe(2);
    await end(members);
  },
);
