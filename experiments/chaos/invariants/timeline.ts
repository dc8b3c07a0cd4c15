import type { ChaosEvent, Ending, EventOf, Phase } from '../events/event.ts';

/** A request of a log, from its (last) sending to its end. */
export interface LoggedRequest {
  readonly sent: EventOf<'sent'>;
  /** Time at which it was sent, or sent again. */
  readonly fromMs: number;
  /** Time of its end; of one that is open, the last time of the log. */
  readonly toMs: number;
  readonly heldMs: number;
  readonly ending: Ending | undefined;
  readonly isAgain: boolean;
}

/** A fault of a log. */
export interface LoggedFault {
  readonly began: EventOf<'fault-began'>;
  readonly fromMs: number;
  /** Time of its end; of one that lasts, the last time of the log. */
  readonly toMs: number;
}

/** A log, read once for all invariants. */
export interface Timeline {
  readonly requests: readonly LoggedRequest[];
  readonly faults: readonly LoggedFault[];
  readonly lates: readonly EventOf<'late'>[];
  /** Times of the phases. */
  phaseFrom(phase: Phase): number | undefined;
  of<Kind extends ChaosEvent['kind']>(kind: Kind): readonly EventOf<Kind>[];
}

/** Reads a log, once: what it holds by kind is not looked for again. Pure. */
export function timelineOf(events: readonly ChaosEvent[]): Timeline {
  const byKind = Map.groupBy(events, ({ kind }) => kind);
  const of = <Kind extends ChaosEvent['kind']>(kind: Kind): readonly EventOf<Kind>[] =>
    (byKind.get(kind) ?? []) as readonly ChaosEvent[] as readonly EventOf<Kind>[];
  const lastMs = events.at(-1)?.atMs ?? 0;
  const ended = new Map(of('ended').map((event) => [event.id, event]));
  const again = new Map(of('sent-again').map((event) => [event.id, event.atMs]));
  const over = new Map(of('fault-ended').map((event) => [event.fault, event.atMs]));
  const phases = new Map(of('phase').map(({ phase, atMs }) => [phase, atMs]));
  return {
    requests: of('sent').map((sent) => ({
      ...{ sent, fromMs: again.get(sent.id) ?? sent.atMs, isAgain: again.has(sent.id) },
      toMs: ended.get(sent.id)?.atMs ?? lastMs,
      heldMs: ended.get(sent.id)?.heldMs ?? 0,
      ending: ended.get(sent.id)?.ending,
    })),
    faults: of('fault-began').map((began) => {
      return { began, fromMs: began.atMs, toMs: over.get(began.fault) ?? lastMs };
    }),
    lates: of('late'),
    phaseFrom: (phase) => phases.get(phase),
    of,
  };
}

/**
 * Returns for how many milliseconds of a span the machine had no core for who was to answer: the harness, and of each part the process
 * that waited longest.
 */
export function starvedMs(
  span: { readonly fromMs: number; readonly toMs: number },
  { lates, of: eventsOf }: Pick<Timeline, 'lates' | 'of'>,
): number {
  const byPart = new Map<string, Map<number, number>>();
  const events = eventsOf('starved');
  for (const { atMs, part, pid, ms, ofMs } of events) {
    const shared = overlapMs(span, [{ fromMs: atMs - ofMs, toMs: atMs }]);
    if (shared === 0) continue;
    const pids = byPart.get(part) ?? new Map<number, number>();
    byPart.set(part, pids.set(pid, (pids.get(pid) ?? 0) + Math.min(ms, shared)));
  }
  const parts = [...byPart.values()].map((pids) => Math.max(...pids.values()));
  const own = overlapMs(
    span,
    lates.map(({ atMs, ms }) => ({ fromMs: atMs - ms, toMs: atMs })),
  );
  return parts.reduce((sum, ms) => sum + ms, own);
}

/** Returns how many milliseconds of a span the spans of others cover, each counted by itself. */
export function overlapMs(
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
  others: readonly { readonly fromMs: number; readonly toMs: number }[],
): number {
  return others.reduce(
    (sum, other) => sum + Math.max(0, Math.min(toMs, other.toMs) - Math.max(fromMs, other.fromMs)),
    0,
  );
}
