import type { Network } from '../network/network.ts';
import { epoch } from '../programs/messages.ts';
import type { FleetSetting } from '../setting-5.ts';
import { type Second, secondsOf } from './calls.ts';
import { type Check, nothingForgotten } from './checks.ts';
import { type Observed, startFleet } from './fleet.ts';
import type { Row } from './rows.ts';

/** Result of a row. */
export interface RowResult {
  readonly id: string;
  readonly what: string;
  readonly checks: readonly Check[];
  readonly holds: boolean;
  readonly seconds: readonly Second[];
  readonly observed: Observed;
  /** Times of the row's faults, epoch milliseconds, and figures that it noted. */
  readonly marks: ReadonlyMap<string, number>;
}

export interface RowOptions {
  readonly setting: FleetSetting;
  readonly createNetwork: () => Network;
  /** Observations of the load without a fault. */
  readonly steady?: Observed | undefined;
  /** Called with each second when it is over. */
  readonly onSecond?: (second: Second) => void;
}

/** Starts a fleet, loads it, applies the row's faults, and judges. Nothing of the fleet is left. */
export async function runRow(row: Row, options: RowOptions): Promise<RowResult> {
  const { setting, createNetwork, steady, onSecond = () => {} } = options;
  const { plan = {}, moreSeconds = 0 } = row;
  const seconds = setting.seconds + moreSeconds;
  const marks = new Map<string, number>();
  await using network = createNetwork();
  await using fleet = await startFleet(network, { setting, plan });
  let shown = 0;
  const observed = await fleet.load({
    seconds,
    act: (startedAt) =>
      row.act(fleet, {
        until: (second) => atTime(startedAt + second * 1000),
        mark: (name) => void marks.set(name, epoch()),
        note: (name, value) => void marks.set(name, value),
        fault: setting.faultAtSecond,
      }),
    onSecond(soFar) {
      // The last one is not over, and what was asked in the one before has hardly ended.
      const known = secondsOf(soFar);
      for (; shown < known.length - 2; shown += 1) onSecond(known[shown] as Second);
    },
  });
  const { calls, reports } = observed;
  const all = secondsOf(observed);
  for (const second of all.slice(shown)) onSecond(second);
  const perServer =
    ((plan.callsPerSecond ?? setting.callsPerSecond) / fleet.servers.length) * seconds;
  const ended = fleet.servers.filter(({ name }) => !reports.has(name)).map(({ name }) => name);
  const asked = Math.round(perServer) * (fleet.servers.length - ended.length);
  const living = calls.filter(({ server }) => !ended.includes(server));
  const evidence = { ...observed, setting, marks, asked, steady };
  const checks = [...row.judge(evidence), ...nothingForgotten({ ...evidence, calls: living })];
  return {
    id: row.id,
    what: row.what,
    checks,
    observed,
    marks,
    holds: checks.every(({ holds }) => holds),
    seconds: all,
  };
}

async function atTime(time: number): Promise<void> {
  const left = time - epoch();
  if (left > 0) await new Promise((resolve) => setTimeout(resolve, left));
}
