import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import {
  createLink,
  type EngineServer,
  engineProgram,
  type Link,
  startNatsServer,
  until,
} from '@ticketing/test-kit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createNatsDispatcher,
  type NatsDispatcher,
  type NatsDispatcherOptions,
} from '../../src/index.ts';
import type { Tasks } from '../fixtures/adverse-host.ts';

const entry = new URL('../fixtures/adverse-host.ts', import.meta.url);
const LOST = { code: 'ERR_WORKER_LOST' };

/** Streams of a host that is another process, over a server of NATS. */
describe.skipIf(engineProgram('nats') === undefined)('streams over a NATS server', () => {
  let server: EngineServer;
  let closing: (() => Promise<unknown>)[];
  beforeEach(async () => {
    server = await startNatsServer();
    closing = [() => server.close()];
  });
  afterEach(async () => {
    for (const close of closing.reverse()) await close();
  });

  async function startHost(port = server.port): Promise<ChildProcess> {
    const given = JSON.stringify({ fleet: 'items', url: `nats://127.0.0.1:${port}` });
    const child = fork(entry, [given], { execArgv: ['--conditions=@ticketing/source'] });
    closing.push(async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    });
    await once(child, 'message');
    return child;
  }

  function open(options: Partial<NatsDispatcherOptions> = {}): NatsDispatcher<Tasks> {
    const dispatcher = createNatsDispatcher<Tasks>({
      ...{ nats: { servers: server.url }, fleet: 'items' },
      // A busy machine may be silent for seconds.
      missedBeats: 40,
      ...options,
    });
    closing.push(() => dispatcher.close());
    return dispatcher;
  }

  async function linkToServer(): Promise<Link> {
    const link = await createLink({ to: server.port });
    closing.push(() => link.close());
    return link;
  }

  /** Reads until the stream ends or rejects. */
  async function rest(items: AsyncIterable<unknown>): Promise<number> {
    let count = 0;
    for await (const _ of items) count += 1;
    return count;
  }

  const journalOf = (dispatcher: NatsDispatcher<Tasks>) => dispatcher.run('journal');
  const untilEnded = (dispatcher: NatsDispatcher<Tasks>) =>
    until(async () => (await journalOf(dispatcher)).includes('ended'), 'the end of the generator');

  it('items larger than `max_payload` come in pieces, few at a time for a slow reader', async () => {
    await startHost();
    const dispatcher = open();
    const bytes = 3 * 1024 * 1024;
    let taken = 0;
    for await (const item of dispatcher.stream('numbers', { bytes }, { window: 2 })) {
      taken += 1;
      const { byteLength, [0]: first } = item as Uint8Array;
      expect([byteLength, first]).toEqual([bytes, taken]);
      const made = (await journalOf(dispatcher)).length;
      expect(made).toBeLessThanOrEqual(taken + 2);
      if (taken === 8) break;
    }
    await untilEnded(dispatcher);
  });

  it('a reader that leaves ends the generator in the other process', async () => {
    await startHost();
    const dispatcher = open();
    for await (const item of dispatcher.stream('numbers', {})) if (item === 40) break;
    await untilEnded(dispatcher);
    expect((await journalOf(dispatcher)).length).toBeLessThanOrEqual(40 + 16 + 1);
    expect(dispatcher.stats()).toMatchObject({ aborted: 1, lost: 0 });
  });

  it('a host that is killed rejects its stream once', async () => {
    const child = await startHost();
    const dispatcher = open();
    const items = dispatcher.stream('numbers', {}, { window: 4, idempotent: true, retries: 2 });
    expect(await items.next()).toMatchObject({ value: 1 });
    child.kill('SIGKILL');
    await expect(rest(items)).rejects.toMatchObject(LOST);
    expect(await items.next()).toEqual({ done: true, value: undefined });
    const other = startHost();
    // Nothing of the stream has run on the later host.
    expect(await dispatcher.run('echo', 1, { idempotent: true, retries: 5 })).toBe(1);
    await other;
    expect(await journalOf(dispatcher)).toEqual(['echo 1']);
  });

  it('a link that stalls rejects the stream, and ends the generator behind it', async () => {
    const link = await linkToServer();
    await startHost(link.port);
    const dispatcher = open({ beatMs: 100, missedBeats: 10 });
    const items = dispatcher.stream('numbers', {}, { window: 4 });
    expect(await items.next()).toMatchObject({ value: 1 });
    link.stall();
    await expect(rest(items)).rejects.toMatchObject(LOST);
    expect(dispatcher.fleet().lost.silence).toBe(1);
    link.open();
    await untilEnded(dispatcher);
    expect((await journalOf(dispatcher)).filter((line) => line === 'item 1')).toHaveLength(1);
  });

  it('a link of the reader that breaks rejects the stream at once, and ends the generator', async () => {
    await startHost();
    const link = await linkToServer();
    const dispatcher = open({ nats: { servers: `nats://127.0.0.1:${link.port}` } });
    const items = dispatcher.stream('numbers', {}, { window: 4 });
    expect(await items.next()).toMatchObject({ value: 1 });
    link.cut();
    await expect(rest(items)).rejects.toMatchObject(LOST);
    link.open();
    await untilEnded(dispatcher);
  });

  it('`timeoutMs` limits the whole stream, on the host too', async () => {
    await startHost();
    const dispatcher = open();
    const items = dispatcher.stream('numbers', {}, { timeoutMs: 300 });
    await expect(rest(items)).rejects.toMatchObject({ code: 'ERR_TIMEOUT' });
    const aborter = new AbortController();
    const other = dispatcher.stream('numbers', {}, { signal: aborter.signal });
    expect(await other.next()).toMatchObject({ value: 1 });
    aborter.abort(new Error('enough'));
    await expect(rest(other)).rejects.toThrow('enough');
    await until(async () => {
      const lines = await journalOf(dispatcher);
      const begun = lines.filter((line) => line === 'item 1').length;
      return begun === lines.filter((line) => line === 'ended').length;
    }, 'the end of all generators');
  });
});
