import { createInProcessDispatcher, defineTasks } from '@ticketing/dispatch';
import { createManualClock, turns } from '@ticketing/test-kit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createNatsDispatcher, type NatsDispatcher, serveNatsTasks } from '../src/index.ts';
import { makeTasks } from './fleet-fixture.ts';
import { createMemoryNats } from './memory-nats.ts';

type Tasks = ReturnType<typeof makeTasks>['tasks'];

const STEP_MS = 10;

describe('a dispatcher that has as many sessions as hosts.max', () => {
  let clock: ReturnType<typeof createManualClock>;
  let nats: ReturnType<typeof createMemoryNats>;
  let closers: (() => Promise<unknown>)[];
  beforeEach(() => {
    clock = createManualClock();
    nats = createMemoryNats({ clock });
    closers = [];
  });
  afterEach(async () => {
    for (const close of closers) {
      const closing = close();
      await pass(10);
      await closing;
    }
    expect([clock.pending, nats.thrown]).toEqual([0, []]);
  });

  async function pass(steps: number, look: () => void = () => {}): Promise<void> {
    for (let step = 0; step < steps; step += 1) {
      clock.advance(STEP_MS);
      await turns(3);
      look();
    }
  }

  function serve(name: string, zone: string) {
    const { tasks, held } = makeTasks(name, []);
    const local = createInProcessDispatcher(defineTasks(tasks), { clock });
    const host = serveNatsTasks<Tasks>({
      nats: nats.connect(),
      fleet: 'moves',
      hostId: name,
      zone,
      dispatcher: local,
      tasks: ['where', 'hold'],
      clock,
    });
    closers.unshift(async () => {
      await host.close();
      await local.close();
    });
    return (mark: string) => held.get(mark)?.();
  }

  function open(max: number): NatsDispatcher<Tasks> {
    const dispatcher = createNatsDispatcher<Tasks>({
      nats: nats.connect(),
      fleet: 'moves',
      hosts: { max, zone: 'near' },
      clock,
    });
    closers.unshift(() => dispatcher.close());
    return dispatcher;
  }

  it('moves the session to a better host that joins, and what is under way ends where it is', async () => {
    const letGo = serve('far', 'far');
    const dispatcher = open(1);
    const held = dispatcher.run('hold', 'x');
    await pass(20);
    expect(dispatcher.stats()).toMatchObject({ running: 1, recycled: 0 });
    serve('near', 'near');
    await pass(20);
    const after = dispatcher.run('where', 'y');
    await pass(1);
    expect(await after).toBe('near');
    letGo('x');
    await pass(1);
    expect(await held).toBe('x at far');
    // It stays there.
    await pass(300);
    expect(dispatcher.stats()).toMatchObject({ recycled: 1, lost: 0, completed: 2, failed: 0 });
  });

  it('moves one session at a time, and none to a host that is no better', async () => {
    for (const name of ['far-1', 'far-2']) serve(name, 'far');
    const dispatcher = open(2);
    await pass(20);
    const hosts = () =>
      dispatcher
        .stats()
        .workers.filter(({ state }) => state === 'ready')
        .map(({ report }) => (report as { host: string }).host.replace(/\..*/, ''))
        .sort();
    expect(hosts()).toEqual(['far-1', 'far-2']);
    serve('far-3', 'far');
    for (const name of ['near-1', 'near-2']) serve(name, 'near');
    let fewest = 2;
    let mostStarting = 0;
    await pass(100, () => {
      const states = dispatcher.stats().workers.map(({ state }) => state);
      fewest = Math.min(fewest, states.filter((state) => state === 'ready').length);
      mostStarting = Math.max(mostStarting, states.filter((state) => state === 'starting').length);
    });
    expect(hosts()).toEqual(['near-1', 'near-2']);
    expect([fewest, mostStarting, dispatcher.stats().recycled]).toEqual([2, 1, 2]);
  });
});
