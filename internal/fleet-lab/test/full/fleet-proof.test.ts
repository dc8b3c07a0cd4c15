import { engineProgram } from '@ticketing/test-kit';
import { expect, test, vi } from 'vitest';
import { createLoopback } from '../../src/network/loopback.ts';
import { createNamespaces, hasNamespaces } from '../../src/network/namespaces.ts';
import type { Network } from '../../src/network/network.ts';
import { rows } from '../../src/proof/rows.ts';
import { runRow } from '../../src/proof/run-row.ts';
import { setting5 } from '../../src/setting-5.ts';

vi.setConfig({ testTimeout: 180_000 });

/** A busy machine blocks an event loop for longer than the beats of production allow. */
const setting = {
  ...{ ...setting5, seconds: 5, faultAtSecond: 1, callsPerSecond: 60 },
  ...{ beatMs: 1000, missedBeats: 20, timeoutMs: 60_000 },
};
/** What holds however fast the machine is. */
const CERTAIN = /^(each call ends once|no task runs twice|no call fails|lost: what it had)/;

const networks = [
  { kind: 'loopback', create: createLoopback, isThere: true },
  { kind: 'namespaces', create: createNamespaces, isThere: hasNamespaces() },
];

for (const { kind, create, isThere } of networks) {
  const it = test.skipIf(engineProgram('nats') === undefined || !isThere);
  it.each(['kill', 'drain'])(`fleet-proof over ${kind}: %s`, async (id) => {
    const row = rows.find((each) => each.id === id);
    if (row === undefined) throw new Error(`There is no row ${id}`);
    const created: Network[] = [];
    const createNetwork = (): Network => {
      const network = create();
      created.push(network);
      return network;
    };
    const { checks, seconds } = await runRow(row, { setting, createNetwork });
    const certain = checks.filter(({ claim }) => CERTAIN.test(claim));
    expect(certain.length).toBeGreaterThan(2);
    expect(certain.filter(({ holds }) => !holds)).toEqual([]);
    expect(seconds.length).toBeGreaterThan(4);
    expect(created.flatMap((network) => network.left())).toEqual([]);
  });
}
