// What a search of three carriers costs the simulator, in a process of its own: it is the load of every other measurement.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { benchFlags, circumstances, median, report, table } from '@ticketing/bench-kit';
import { addDays, createSearch } from '@ticketing/core';
import {
  createAvlo,
  createCarrierHttp,
  createOuigo,
  createRenfe,
  stationTable,
} from '../src/index.ts';

const flags = benchFlags({ rounds: 9 });
const [SEARCHES, DAYS, AT_ONCE] = [500, 30, 10];
/** The platform counts processor time in hundredths of a second. */
const TICK_MS = 10;

const PROGRAM = `
  import { startCarrierSim } from '@ticketing/carrier-sim';
  const latency = { kind: 'fixed', ms: 0 };
  const sim = await startCarrierSim({ plan: { renfe: { latency }, ouigo: { latency }, avlo: { latency } } });
  console.log(sim.url);
`;
const argv = ['--conditions=@ticketing/source', '--input-type=module', '-e', PROGRAM];
const child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'inherit'] });
const [line] = await once(child.stdout, 'data');
const url = String(line).trim();

const http = createCarrierHttp();
const search = createSearch({
  carriers: [
    createRenfe({ baseUrl: `${url}/renfe` }),
    createOuigo({ baseUrl: `${url}/ouigo`, credentials: { username: 'bench', password: 'bench' } }),
    createAvlo({ baseUrl: `${url}/avlo` }),
  ],
  http: http.clientOf,
  deadlineMs: 60_000,
});
const [origin, destination] = ['uic:7160000', 'uic:7171801'].map((id) => stationTable.byId(id));
assert.ok(origin !== undefined && destination !== undefined);
const today = new Date().toISOString().slice(0, 10);

function processorMs(): number {
  const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

/** Milliseconds of the simulator's processor for each of so many searches. */
async function measure(searches: number): Promise<number> {
  const before = processorMs();
  for (let asked = 0; asked < searches; asked += AT_ONCE) {
    const dates = Array.from({ length: AT_ONCE }, (_, at) =>
      addDays(today, 2 + ((asked + at) % DAYS)),
    );
    const results = await Promise.all(
      dates.map((date) => search.search({ origin, destination, date } as never)),
    );
    assert.ok(results.every(({ complete }) => complete));
  }
  return (processorMs() - before) / searches;
}

const first = await measure(DAYS);
await measure(SEARCHES);
const rounds: number[] = [];
while (rounds.length < flags.rounds) rounds.push(await measure(SEARCHES));
await search.close();
await http.close();
child.kill();

report(
  new URL('../../../docs/measurements/carrier-sim.md', import.meta.url),
  [
    circumstances('pnpm --filter @ticketing/carriers bench', flags),
    '',
    ...table([
      ['a search of three carriers, six calls', "ms of the simulator's processor"],
      [
        `of a day that was not asked before, compiling included (${DAYS} searches)`,
        first.toFixed(2),
      ],
      [`of ${DAYS} days in turn, ${AT_ONCE} at once`, median(rounds).toFixed(2)],
    ]),
  ],
  flags,
);
