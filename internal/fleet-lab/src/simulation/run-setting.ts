import {
  Balance,
  type Ended,
  errorsOf,
  minus,
  overheadOf,
  type PhaseResult,
  timesOf,
} from './measures.ts';
import type { Fault, Phase, Setting } from './settings.ts';
import { SimulatedFleet } from './simulated-fleet.ts';
import { VirtualTime } from './virtual-time.ts';

const LOST = 'ERR_WORKER_LOST';
const QUARTER_MS = 250;
/** Time at which dispatchers have found hosts. */
const FOUND_MS = 1000;
/** Time at which all hosts have announced themselves again, and go on at their usual rate. */
const SETTLED_MS = 15_000;
const STOPPED_MS = 5000;
/** Milliseconds after which another host takes the place of one that died. */
const REPLACED_AFTER_MS = 1000;

/** Runs a setting from beginning to end. @returns the result of each phase */
export async function runSetting(
  setting: Setting,
  { seed, onPhase }: { readonly seed: number; readonly onPhase?: (result: PhaseResult) => void },
): Promise<PhaseResult[]> {
  const time = new VirtualTime();
  const real = Date.now;
  // Limits of calls are kept as points in time.
  Date.now = () => 1.7e12 + time.now;
  const fleet = new SimulatedFleet(setting, { time, seed });
  try {
    await time.run(FOUND_MS, setting.grainMs);
    fleet.askKeys();
    await time.run(SETTLED_MS, setting.grainMs);
    fleet.startAsking();
    await time.run(time.now + 1000 * setting.warmUpSeconds, setting.grainMs);
    const balance = new Balance();
    const results: PhaseResult[] = [];
    for (const phase of setting.phases) {
      const result = await runPhase(fleet, phase, balance);
      results.push(result);
      onPhase?.(result);
    }
    fleet.stopAsking();
    await time.run(time.now + setting.timeoutMs, setting.grainMs);
    const closing = fleet.close();
    await time.run(time.now + 1000, setting.grainMs);
    await closing;
    return results;
  } finally {
    Date.now = real;
  }
}

async function runPhase(
  fleet: SimulatedFleet,
  { name, seconds, fault }: Phase,
  balance: Balance,
): Promise<PhaseResult> {
  const { time, nats, ledger, setting } = fleet;
  const calls: Ended[] = [];
  const from = time.now;
  let toldMs: number | undefined;
  let asked = 0;
  fleet.onEnded = (ended) => {
    asked += 1;
    if (ended.code === LOST) toldMs = time.now - from;
    calls.push(ended);
  };
  const before = {
    published: { ...nats.published },
    delivered: { ...nats.delivered },
    busy: fleet.busy,
    retried: fleet.retried,
    twice: ledger.twice,
    loads: ledger.loadsBegun,
    doubles: ledger.doubleLoads,
    asked: fleet.asked,
  };
  ledger.mostLoads = 0;
  const hosts = new Set(fleet.hosts.map(({ number }) => number));
  const begun = new Map<number, number>();
  let balancedAt: number | undefined;
  begin(fleet, fault, seconds);
  for (let quarter = 1; quarter <= 4 * seconds; quarter += 1) {
    await time.run(from + quarter * QUARTER_MS, setting.grainMs);
    const there = fleet.hosts.map(({ number }) => number);
    const latest = ledger.takeBegun();
    for (const [host, count] of latest) begun.set(host, (begun.get(host) ?? 0) + count);
    for (const host of hosts) if (!there.includes(host)) hosts.delete(host);
    const uneven = balance.add(latest, there);
    if (uneven === undefined) continue;
    if (fault.kind === 'none') balance.usual(uneven);
    else if (!balance.isEven(uneven)) balancedAt = undefined;
    else balancedAt ??= quarter / 4;
  }
  const counts = [...hosts].map((host) => begun.get(host) ?? 0);
  const mean = counts.reduce((sum, count) => sum + count, 0) / Math.max(1, counts.length);
  const published = minus(nats.published, before.published, seconds);
  const delivered = minus(nats.delivered, before.delivered, seconds);
  const countOf = (matches: (code: string) => boolean): number =>
    calls.filter(({ code }) => matches(code)).length;
  return {
    setting: setting.name,
    phase: name,
    seconds,
    asked: fleet.asked - before.asked,
    answered: countOf((code) => code === ''),
    published,
    delivered,
    overheadPublished: overheadOf(published),
    overheadDelivered: overheadOf(delivered),
    maxOverMean: counts.length === 0 ? Number.NaN : Math.max(...counts) / mean,
    ...timesOf(calls),
    busyShare: (fleet.busy - before.busy) / Math.max(1, asked),
    lost: countOf((code) => code === LOST),
    failed: countOf((code) => code !== '' && code !== LOST),
    errors: errorsOf(calls, LOST),
    retried: fleet.retried - before.retried,
    twice: ledger.twice - before.twice,
    mostLoads: ledger.mostLoads,
    doubleLoads:
      (ledger.doubleLoads - before.doubles) / Math.max(1, ledger.loadsBegun - before.loads),
    toldMs: fault.kind === 'kill' || fault.kind === 'stop' ? toldMs : undefined,
    balancedSeconds: fault.kind === 'none' ? undefined : balancedAt,
  };
}

/** Begins the fault of a phase. */
function begin(fleet: SimulatedFleet, fault: Fault, seconds: number): void {
  const { time, chance, nats } = fleet;
  const { hosts } = fleet;
  const [first] = hosts;
  if (first === undefined) throw new Error('Cannot act: the fleet has no host');
  switch (fault.kind) {
    case 'none':
      break;
    case 'kill':
      fleet.kill(first);
      break;
    case 'stop':
      first.machine.stop();
      time.at(time.now + STOPPED_MS, () => first.machine.goOn());
      break;
    case 'slow':
      first.speed /= fleet.setting.slowBy;
      break;
    case 'drain':
      void fleet.leave(first);
      break;
    case 'deaths':
      diesLater(fleet, 1000 / (fault.sharePerSecond * hosts.length), time.now + 1000 * seconds);
      break;
    case 'deploy':
      deploys(fleet, Math.ceil(fault.shareAtOnce * hosts.length));
      break;
    case 'partition':
      nats.cutOff.add('z0');
      break;
    case 'heal':
      nats.cutOff.clear();
      break;
    case 'leave':
      for (const host of chance.pick(hosts, Math.ceil(fault.share * hosts.length))) {
        void fleet.leave(host);
      }
      break;
  }
}

/** Ends a host after a random time of this mean, then the next; others take their places. */
function diesLater(fleet: SimulatedFleet, meanMs: number, until: number): void {
  const { time, chance } = fleet;
  const at = time.now + chance.exponential(meanMs);
  if (at > until) return;
  time.at(at, () => {
    const [host] = chance.pick(fleet.hosts, 1);
    if (host !== undefined) fleet.kill(host);
    time.at(time.now + REPLACED_AFTER_MS, () => fleet.join());
    diesLater(fleet, meanMs, until);
  });
}

/** Replaces all hosts, some at once a second: the new one joins as the old one leaves. */
function deploys(fleet: SimulatedFleet, atOnce: number): void {
  const old = fleet.chance.pick(fleet.hosts, fleet.hosts.length);
  const next = (): void => {
    const leaving = old.splice(0, atOnce).filter(({ isThere }) => isThere);
    if (leaving.length === 0) return;
    for (const host of leaving) {
      fleet.join();
      void fleet.leave(host);
    }
    fleet.time.at(fleet.time.now + 1000, next);
  };
  next();
}
