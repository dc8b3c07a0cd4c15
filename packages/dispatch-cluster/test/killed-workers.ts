import { expect, test } from 'vitest';
import type { ClusterOptions } from '../src/index.ts';
import { allWorkersKilled } from '../stress/all-workers-killed.ts';
import { start } from './cluster-fixture.ts';

/** Number of kills of all workers, and the load during them. */
export interface Fire {
  readonly kills: number;
  readonly clients: number;
}

/** Tests that no connection is lost with the workers, with either scheduling policy. */
export function testKilledWorkers(
  schedulingPolicy: NonNullable<ClusterOptions['schedulingPolicy']>,
  { kills, clients }: Fire,
): void {
  test(`all workers (${schedulingPolicy}) killed under load, ${kills} times: no connection is refused, no client hangs`, async () => {
    const restart = { maxFailures: 1000, backoffMs: [1, 50] } as const;
    const supervisor = start({ workers: 2, schedulingPolicy, restart });
    await supervisor.ready();
    const met = await allWorkersKilled(supervisor, { kills, clients });
    const { 200: answered = 0, ...failed } = met;
    expect(answered).toBeGreaterThanOrEqual(2 * kills * clients);
    // Errors of requests that a killed worker was answering.
    expect(Object.keys(failed)).toEqual(failed['ECONNRESET'] === undefined ? [] : ['ECONNRESET']);
    expect(failed['ECONNRESET'] ?? 0).toBeLessThanOrEqual(kills * clients);
    expect(supervisor.stats()).toMatchObject({ waitingConnections: 0, droppedConnections: 0 });
  });
}
