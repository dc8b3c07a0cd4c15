import { channel } from 'node:diagnostics_channel';
import { engineProgram, until } from '@ticketing/test-kit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startFleet } from '../fleet-fixture.ts';

describe.skipIf(engineProgram('nats') === undefined)('a host', () => {
  test('the figures of a host are in the row of its worker, the latest of them', async () => {
    await using fleet = await startFleet();
    let asked = 0;
    const report = () => {
      asked += 1;
      return { asked };
    };
    await fleet.serve('one', { report });
    const dispatcher = fleet.dispatch();
    await dispatcher.ready();
    const told = () =>
      (dispatcher.stats().workers[0]?.moduleReport as { readonly asked?: number } | undefined)
        ?.asked ?? 0;
    await until(() => told() >= 2, 'a second report');
    expect(asked).toBeGreaterThanOrEqual(told());
  });

  test('figures that cannot be had or sent end nothing', async () => {
    await using fleet = await startFleet();
    let asked = 0;
    const report = () => {
      asked += 1;
      if (asked === 1) throw new Error('No figures');
      return () => {};
    };
    await fleet.serve('one', { report });
    const dispatcher = fleet.dispatch();
    await until(() => asked > 2, 'a third report');
    expect(await dispatcher.run('echo', 7)).toBe(7);
    expect(dispatcher.stats()).toMatchObject({ lost: 0 });
  });

  test('the context of a trace passes on, unless a tracer of the host adds its own', async () => {
    await using fleet = await startFleet();
    await fleet.serve('one');
    const dispatcher = fleet.dispatch();
    const metadata = { traceparent: 'of the caller', tenant: 'a' };
    const told = async () => (await dispatcher.run('told', undefined, { metadata })).metadata;
    expect(await told()).toEqual(metadata);
    const start = channel('tracing:ticketing:dispatch:run:start');
    const trace = (message: unknown): void => {
      // A subscriber like a tracer adds its context; the caller's own texts come first.
      (message as { metadata: Record<string, string> }).metadata['traceparent'] = 'of the host';
    };
    start.subscribe(trace);
    onTestFinished(() => void start.unsubscribe(trace));
    expect(await told()).toEqual({ traceparent: 'of the host', tenant: 'a' });
  });
});
