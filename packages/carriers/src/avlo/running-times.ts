// Scheduled minutes between the stations (Avlo's own ids) of each line, the same in both directions.
const lines: readonly (readonly [from: string, to: string, minutes: number])[] = [
  ['12', '14', 80],
  ['12', '13', 160],
  ['14', '13', 85],
  ['12', '15', 145],
  ['16', '17', 115],
  ['16', '18', 150],
  ['12', '19', 110],
  ['12', '20', 160],
  ['12', '21', 175],
  ['16', '22', 65],
];

const minutesByPair: ReadonlyMap<string, number> = new Map(
  lines.flatMap(([from, to, minutes]) => [
    [`${from} ${to}`, minutes],
    [`${to} ${from}`, minutes],
  ]),
);

/** Minutes from one station to another (Avlo's own ids), or `undefined` for a pair that is not served. */
export function runningMinutes(from: string, to: string): number | undefined {
  return minutesByPair.get(`${from} ${to}`);
}
