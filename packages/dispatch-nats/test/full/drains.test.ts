import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { engineProgram, until } from '@ticketing/test-kit';
import { expect, it, onTestFinished } from 'vitest';
import type { NatsHostEvent } from '../../src/index.ts';
import { hostName, hostsOf, startFleet } from '../fleet-fixture.ts';

it.skipIf(engineProgram('nats') === undefined)(
  'drains each host in turn under load: no call fails',
  async () => {
    const events: NatsHostEvent[] = [];
    const note = (event: unknown) => void events.push(event as NatsHostEvent);
    subscribe('ticketing:dispatch-nats:host', note);
    onTestFinished(() => void unsubscribe('ticketing:dispatch-nats:host', note));
    await using fleet = await startFleet();
    const names = ['a', 'b', 'c'];
    const hosts = await Promise.all(names.map((name) => fleet.serve(name)));
    const dispatcher = fleet.dispatch();
    await until(() => hostsOf(dispatcher).length === 3);
    let isOver = false;
    let answered = 0;
    const load = Array.from({ length: 32 }, async () => {
      while (!isOver) {
        await dispatcher.run('pause', 2);
        answered += 1;
      }
    });
    for (const [index, each] of hosts.entries()) {
      const before = answered;
      await until(() => answered > before + 100);
      const report = await each.host.drain();
      expect(report.aborted).toBe(0);
      await each.close();
      await fleet.serve(`new-${names[index]}`);
      await until(() => hostsOf(dispatcher).includes(`new-${names[index]}`));
    }
    isOver = true;
    await Promise.all(load);
    const { completed, asked, lost, recycled } = dispatcher.stats();
    expect({ failed: asked - completed, lost }).toEqual({ failed: 0, lost: 0 });
    expect(recycled).toBeGreaterThan(0);
    const seen = events.map(({ type, host }) => `${type} ${hostName(host)}`);
    expect(seen).toEqual(expect.arrayContaining(['leaving a', 'joined new-c']));
    await until(() => hostsOf(dispatcher).join() === 'new-a,new-b,new-c');
  },
);
