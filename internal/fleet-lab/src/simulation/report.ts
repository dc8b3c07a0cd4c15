import { percent, perSecond, table, three } from '@ticketing/bench-kit';
import type { PhaseResult } from './measures.ts';
import { messageKinds } from './simulated-nats.ts';

/** Most announcements and beats ÷ calls and answers. */
const MOST_OVERHEAD = 0.05;

/** Returns the tables of all settings, and the verdicts on the targets. */
export function reportLines(results: readonly PhaseResult[], seed: number): string[] {
  const settings = [...new Set(results.map(({ setting }) => setting))];
  return [
    `Seed ${seed}. Messages a second as publishers send them; a share in brackets counts an announcement once for each receiver.`,
    ...settings.flatMap((setting) => {
      // Before each fault five hosts do the same.
      const own = results.filter((each) => each.setting === setting && each.phase !== 'before');
      return ['', `**${setting}**`, '', ...messageTable(own), '', ...callTable(own)];
    }),
    '',
    ...verdicts(results),
  ];
}

function messageTable(results: readonly PhaseResult[]): string[] {
  const head = [
    'messages a second',
    ...messageKinds,
    'announcements and beats ÷ calls and answers',
  ];
  return table([
    head,
    ...results.map(({ phase, published, overheadPublished, overheadDelivered }) => [
      phase,
      ...messageKinds.map((kind) => perSecond(published[kind])),
      `${percent(overheadPublished)} (${percent(overheadDelivered)})`,
    ]),
  ]);
}

function callTable(results: readonly PhaseResult[]): string[] {
  const head = ['calls', 'asked', 'p50 ms', 'p99', 'p999', 'max ÷ mean host', 'given back'];
  const more = [
    'lost',
    'other errors',
    'retried',
    'twice',
    'told after ms',
    'loads a key',
    'even after s',
  ];
  return table([
    [...head, ...more],
    ...results.map((result) => [
      result.phase,
      perSecond(result.asked),
      three(result.p50Ms),
      three(result.p99Ms),
      three(result.p999Ms),
      three(result.maxOverMean),
      percent(result.busyShare),
      String(result.lost),
      result.errors === '' ? '0' : result.errors,
      ...[result.retried, result.twice].map(String),
      result.toldMs === undefined ? '-' : three(result.toldMs),
      result.mostLoads === 0 ? '-' : `${result.mostLoads} (${percent(result.doubleLoads)})`,
      result.balancedSeconds === undefined ? '-' : three(result.balancedSeconds),
    ]),
  ]);
}

/** Compares the results with the targets. */
function verdicts(results: readonly PhaseResult[]): string[] {
  const twice = results.reduce((sum, result) => sum + result.twice, 0);
  const steady = results.filter(
    ({ phase, setting }) => phase === 'steady' && !setting.startsWith('5 '),
  );
  const isLight = ({ overheadPublished }: PhaseResult): boolean =>
    overheadPublished < MOST_OVERHEAD;
  return [
    `- Run twice without permission: ${twice} of ${sumOf(results)} calls: ${twice === 0 ? 'kept' : 'missed'}.`,
    ...steady.map(
      (result) =>
        `- Announcements and beats below 5 % of calls and answers at half load, ${result.setting}: ` +
        `${percent(result.overheadPublished)}: ${isLight(result) ? 'kept' : 'missed'}.`,
    ),
  ];
}

function sumOf(results: readonly PhaseResult[]): number {
  return results.reduce((sum, { asked }) => sum + asked, 0);
}

/** Returns one line per phase, with every figure. */
export function csvLines(results: readonly PhaseResult[], seed: number): string[] {
  const plain = results.map(({ published, delivered, ...rest }) => ({
    seed,
    ...rest,
    ...prefixed('published', published),
    ...prefixed('delivered', delivered),
  }));
  const names = Object.keys(plain[0] ?? {});
  const show = (value: unknown): string => {
    if (typeof value === 'number') return Number.isNaN(value) ? '' : String(+value.toPrecision(6));
    return value === undefined || value === null ? '' : `"${String(value)}"`;
  };
  return [
    names.join(','),
    ...plain.map((row) => names.map((name) => show(row[name as keyof typeof row])).join(',')),
  ];
}

function prefixed(
  prefix: string,
  counts: Readonly<Record<string, number>>,
): Record<string, number> {
  return Object.fromEntries(
    Object.entries(counts).map(([name, value]) => [`${prefix}_${name}`, value]),
  );
}
