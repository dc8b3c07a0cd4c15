import { percent, table, three, times } from '@ticketing/bench-kit';
import type { Judgement, Report, Verdict } from '../src/results/experiment.ts';
import { rateText } from '../src/results/rate-text.ts';
import { cellOf, figureOf, ratioOf } from '../src/rounds/measure-rounds.ts';
import {
  COSTS,
  DRAWN,
  type Findings,
  type FleetFindings,
  type RowFindings,
  WAYS,
} from './findings.ts';

/** Rows that `docs/studies.md` shows. */
const MAIN = ['kill', 'drain'];
/** Factor within which figures of sockets and of the simulation agree. */
const AGREE = 1.2;

/** Returns verdicts, tables and charts. */
export function report({ fleet }: Findings): Report {
  if (fleet === undefined) {
    return { verdicts: [], lines: ['Not measured: there is no nats-server.'], charts: {} };
  }
  const { rows, cost, compared, callsPerSecond, taskMs, network, delays } = fleet;
  return {
    verdicts: [pays(fleet), ...rows.map(verdictOf), ...agreement(fleet)],
    lines: [
      'What a call costs its caller. Caller, hosts and NATS share the cores, so a fleet can save time here only for the caller.',
      '',
      ...costTable(fleet),
      '',
      `What happens: ${callsPerSecond} calls a second of ${taskMs} ms, half of them may run twice; 3 worker hosts, 2 serving hosts, NATS (${network}; ${delays}).`,
      '',
      ...checkTable(rows),
      ...(compared.length === 0
        ? []
        : [
            '',
            'The same setting on sockets and simulated.',
            '',
            ...table([
              ['', 'sockets', 'simulated', 'ratio'],
              ...compared.map(({ figure, sockets, simulated }) => [
                figure,
                three(sockets),
                three(simulated),
                times(simulated / sockets),
              ]),
            ]),
          ]),
    ],
    charts: {
      faults: {
        title: 'Answers per second; the fault is at second 6',
        mark: 'line',
        x: 'second',
        y: 'answers/s',
        sharedScale: true,
        values: rows
          .filter(({ id }) => DRAWN.includes(id))
          .flatMap(({ what, seconds }) =>
            seconds.slice(0, -1).flatMap(({ second, answered, lost, retried }) => [
              { x: second, y: answered, series: 'answered', panel: what },
              { x: second, y: lost, series: 'lost', panel: what },
              { x: second, y: retried, series: 'answered at the second attempt', panel: what },
            ]),
          ),
      },
      cost: {
        title: 'Processor time of the caller per call, µs',
        mark: 'bar',
        x: '',
        y: 'µs',
        logarithmic: true,
        values: cost.map((cell) => ({
          x: cell.setting,
          y: figureOf(cell, 'cpuUs'),
          series: cell.subject,
        })),
      },
    },
  };
}

/** Returns the verdict on the size of a task from which on a fleet saves its caller time. */
function pays({ cost }: FleetFindings): Verdict {
  const cpu = (way: string, setting: string): number =>
    figureOf(cellOf(cost, way, setting), 'cpuUs');
  const fewUs = cpu(WAYS.fleet, COSTS.many.name) - cpu(WAYS.here, COSTS.many.name);
  const aloneUs = cpu(WAYS.fleet, COSTS.alone.name) - cpu(WAYS.here, COSTS.alone.name);
  const { ms } = COSTS.burn;
  const saved = 1 - cpu(WAYS.fleet, COSTS.burn.name) / cpu(WAYS.here, COSTS.burn.name);
  return {
    claim:
      'Expected of ours: a fleet frees its caller from tasks of a tenth of a millisecond of CPU on',
    measured:
      `a call over NATS takes ${three(fewUs)} µs of the caller's processor with 64 in flight, ${three(aloneUs)} µs one at a time; ` +
      `of a task of ${ms} ms it saves ${percent(saved)}`,
    verdict: aloneUs < 100 ? 'holds' : fewUs < 100 ? 'holds in part' : 'does not hold',
    main: true,
  };
}

function verdictOf({ id, what, checks }: RowFindings): Verdict {
  const failing = checks.filter(({ holds }) => !holds);
  const told = failing.length > 0 ? failing : checks;
  const verdict: Judgement =
    failing.length === 0
      ? 'holds'
      : failing.length < checks.length
        ? 'holds in part'
        : 'does not hold';
  return {
    claim: `Expected of ours, under: ${what === 'nothing' ? 'no fault' : what}`,
    measured: told
      .slice(0, 2)
      .map(({ claim, measured }) => `${claim}: ${measured}`)
      .join('; '),
    verdict,
    main: MAIN.includes(id),
  };
}

function agreement({ compared }: FleetFindings): Verdict[] {
  if (compared.length === 0) return [];
  const ratios = compared.map(({ sockets, simulated }) => simulated / sockets);
  const agreeing = ratios.filter((ratio) => ratio < AGREE && ratio > 1 / AGREE).length;
  const distance = (ratio: number): number => Math.abs(Math.log(ratio));
  const [far = Number.NaN] = ratios.toSorted((one, other) => distance(other) - distance(one));
  const { figure = '' } = compared[ratios.indexOf(far)] ?? {};
  const farthest = `${figure} (${times(far)})`;
  return [
    {
      claim: 'The simulation of five hosts agrees with sockets within 20 %',
      measured: `${agreeing} of ${ratios.length} figures do; the farthest is ${farthest}`,
      verdict:
        agreeing === ratios.length ? 'holds' : agreeing > 0 ? 'holds in part' : 'does not hold',
    },
  ];
}

function costTable({ cost }: FleetFindings): string[] {
  return table(
    [
      ['', '', '/s', 'ratio', 'CPU of the caller', 'mean time'],
      ...Object.values(COSTS).flatMap(({ name }) =>
        Object.values(WAYS).map((way) => {
          const cell = cellOf(cost, way, name);
          return [
            name,
            way,
            rateText(cell),
            times(ratioOf(cell, cellOf(cost, WAYS.here, name))),
            `${three(figureOf(cell, 'cpuUs'))} µs`,
            `${three(figureOf(cell, 'meanMs'))} ms`,
          ];
        }),
      ),
    ],
    2,
  );
}

function checkTable(rows: readonly RowFindings[]): string[] {
  return table(
    [
      ['done to the fleet', 'must show', 'measured', ''],
      ...rows.flatMap(({ what, checks }) =>
        checks.map(({ claim, measured, holds }, index) => [
          index === 0 ? what : '',
          claim,
          measured,
          holds ? 'holds' : '**fails**',
        ]),
      ),
    ],
    4,
  );
}
