/** Figures of the guard of a carrier; `figures.ts` describes each. */
export interface GuardFigures {
  readonly circuit: 'closed' | 'half-open' | 'open';
  readonly openMs: number;
  readonly opened: number;
  readonly pausedMs: number;
  readonly pauses: number;
  readonly inFlight: number;
  readonly calls: number;
  readonly success: number;
  readonly failure: number;
  readonly throttled: number;
  readonly ignored: number;
  readonly retries: number;
  readonly hedges: number;
  readonly refusedByCircuit: number;
  readonly refusedByRate: number;
  /** Absent: neither retries nor hedges. */
  readonly budget?: number | undefined;
  /** Absent: no rate. */
  readonly tokens?: number | undefined;
}
/** Figures of guards by carrier. */
export type Guards = Readonly<Record<string, GuardFigures>>;

/** States of a circuit, the worst last. */
const BY_SEVERITY = ['closed', 'half-open', 'open'] as const;

/** Joins the guards of several processes: counts are added, and the worst state counts. */
export function joinedGuards(all: readonly Guards[]): Guards {
  const ids = new Set(all.flatMap((guards) => Object.keys(guards)));
  return Object.fromEntries(
    [...ids].map((id) => {
      const [first, ...others] = all.flatMap((guards) => guards[id] ?? []);
      return [id, others.reduce(joined, first as GuardFigures)];
    }),
  );
}

/** Joins two guards of one carrier. */
export function joined(one: GuardFigures, other: GuardFigures): GuardFigures {
  const isWorse = BY_SEVERITY.indexOf(other.circuit) > BY_SEVERITY.indexOf(one.circuit);
  const sums = Object.entries(other).map(([name, value]) => {
    const before = one[name as keyof GuardFigures];
    return [name, typeof value === 'number' ? Number(before ?? 0) + value : before];
  });
  return {
    ...one,
    ...Object.fromEntries(sums),
    circuit: isWorse ? other.circuit : one.circuit,
    openMs: Math.max(one.openMs, other.openMs),
    pausedMs: Math.max(one.pausedMs, other.pausedMs),
  };
}
