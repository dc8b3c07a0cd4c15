// `pnpm fleet-proof [rows…] [--network namespaces|loopback] [--out folder]`: does to a fleet of five hosts what networks and machines
// do, and prints what it must show and what it showed. Namespaces need Linux and root. Exit code 1: something does not hold; 2: wrong use.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { anyText, exitCodeOf, flag, oneOf, readCommandLine, stated } from '@ticketing/cli-kit';
import { engineProgram } from '@ticketing/test-kit';
import { createLoopback } from './network/loopback.ts';
import { createNamespaces, hasNamespaces } from './network/namespaces.ts';
import type { Network } from './network/network.ts';
import { csvOf, failedCsvOf, lineOf } from './proof/calls.ts';
import type { Observed } from './proof/fleet.ts';
import { rows } from './proof/rows.ts';
import { type RowResult, runRow } from './proof/run-row.ts';
import { setting5 } from './setting-5.ts';

const command = {
  run: 'pnpm fleet-proof',
  about: 'Does to a fleet of five hosts what networks and machines do, and judges it.',
  verb: 'prove',
  flags: {
    network: flag<'namespaces' | 'loopback'>({
      name: 'network',
      about: 'Namespaces of Linux (needs root), or links on the loopback interface',
      value: oneOf(['namespaces', 'loopback'] as const),
      fallback: 'namespaces',
    }),
    out: flag<string | undefined>({
      name: 'out',
      about: 'Folder for a CSV of the seconds, and of the calls without an answer, of each row',
      value: anyText,
      fallback: undefined,
    }),
  },
  words: { name: 'row', known: rows.map(({ id }) => id) },
};

try {
  const { settings, words } = readCommandLine(command, process.argv.slice(2));
  const { network, out } = stated(settings);
  process.exitCode = await prove({ network, out, ids: words });
} catch (error) {
  const code = exitCodeOf(error);
  if (code === undefined) console.error(error);
  process.exitCode = code ?? 1;
}
// A signal ends by `exit`, which removes what is left.
process.exit();

interface Options {
  readonly network: 'namespaces' | 'loopback';
  readonly out: string | undefined;
  readonly ids: readonly string[];
}

async function prove({ network, out, ids }: Options): Promise<number> {
  if (engineProgram('nats') === undefined) return 2;
  if (network === 'namespaces' && !hasNamespaces()) {
    console.error('Cannot prove in namespaces: they need Linux and root; use --network loopback');
    return 2;
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => process.exit(130));
  }
  const networks: Network[] = [];
  const createNetwork = (): Network => {
    const created = network === 'namespaces' ? createNamespaces() : createLoopback();
    networks.push(created);
    return created;
  };
  const results: RowResult[] = [];
  let steady: Observed | undefined;
  const chosen = rows.filter(
    ({ id }) => ids.length === 0 || ids.includes(id) || (id === 'steady' && needsSteady(ids)),
  );
  for (const row of chosen) {
    console.log(`\n# ${row.id}: ${row.what}`);
    const result = await runRow(row, {
      setting: setting5,
      createNetwork,
      steady,
      onSecond: (second) => console.log(lineOf(second)),
    });
    if (row.id === 'steady') steady = result.observed;
    results.push(result);
    for (const [server, { windows, returned, retried }] of result.observed.reports) {
      console.log(`${server}: windows ${windows}, ${returned} given back, ${retried} retried`);
    }
    for (const { claim, measured, holds } of result.checks) {
      console.log(`${holds ? 'holds ' : 'FAILS '} ${claim}: ${measured}`);
    }
    if (out !== undefined) {
      mkdirSync(out, { recursive: true });
      writeFileSync(join(out, `${row.id}.csv`), csvOf(result.seconds));
      writeFileSync(join(out, `${row.id}-failed.csv`), failedCsvOf(result.observed));
    }
  }
  console.log(`\n# Verdicts (${networks[0]?.kind}; ${networks[0]?.delays})`);
  for (const { id, what, holds } of results) {
    console.log(`${holds ? 'holds' : 'FAILS'}  ${id}: ${what}`);
  }
  const left = networks.flatMap((each) => each.left());
  console.log(`left: ${left.join(', ')}`);
  return results.every(({ holds }) => holds) && left.length === 0 ? 0 : 1;
}

function needsSteady(ids: readonly string[]): boolean {
  return rows.some(({ id, comparesWithSteady }) => comparesWithSteady && ids.includes(id));
}
