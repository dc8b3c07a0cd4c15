import { setMaxListeners } from 'node:events';
import type { BareStatus, CallTrace, ScatterFace, SourceTrace } from './scatter-face.ts';
import { type SourceFacts, type SourceNote, withFacts } from './source-note.ts';
import type { SettledState } from './source-status.ts';

/** Sources that were asked at once; each one settles exactly once. */
export interface AskedSources<Status> {
  /** One per source, in the order of the sources; replaced as they settle. */
  readonly statuses: readonly Status[];
  /** Settles the running ones as `cancelled`, and aborts them with `reason`. */
  cancel(reason: unknown): void;
}

/** One call, and who follows it. */
export interface AskTask<Source, Query, Answer, Status> {
  /** Sources that are asked, at least one. */
  readonly sources: readonly Source[];
  readonly query: Query;
  readonly startedAt: number;
  readonly deadlineMs: number;
  /** The call as subscribers see it; `undefined` when there are none. */
  readonly trace: CallTrace | undefined;
  /** Called when a source settles, never before `askSources` returned. `answer` is absent when there is none. */
  readonly onSettled: (
    id: string,
    status: Status,
    outcome: { readonly answer?: Answer; readonly cause?: unknown },
  ) => void;
  /** Called once, when all have settled. */
  readonly onDone: () => void;
}

/** Asks every source under one deadline and one signal. A late one is aborted, and its answer ignored. */
export function askSources<
  Source extends { readonly id: string },
  Query,
  Answer,
  Status extends BareStatus,
>(
  face: ScatterFace<Source, Query, Answer, Status, unknown>,
  task: AskTask<Source, Query, Answer, Status>,
): AskedSources<Status> {
  const { sources, query, startedAt, deadlineMs, trace, onSettled, onDone } = task;
  const { source: channel } = face.channels;
  const controller = new AbortController();
  // Each source listens to it, some with several requests: more than ten listeners are not a leak.
  setMaxListeners(0, controller.signal);
  const { signal } = controller;
  const deadline = startedAt + deadlineMs;
  const notes: SourceNote[] = [];
  const statuses = sources.map(({ id }) => face.running(id));
  const traces: SourceTrace<Status>[] = [];
  let running = sources.length;
  const timer = setTimeout(() => {
    const error = face.late(deadlineMs);
    endAll(error, error);
  }, deadlineMs);

  const isRunning = (index: number): boolean => statuses[index]?.state === 'running';
  const idAt = (index: number): string => (sources[index] as Source).id;
  const elapsedMs = (): number => Math.max(0, face.now() - startedAt);

  function answer(index: number, value: Answer): void {
    if (!isRunning(index)) return;
    settle(index, face.answered(idAt(index), elapsedMs(), value), { answer: value });
  }

  function fail(index: number, cause: unknown, state?: SettledState): void {
    if (!isRunning(index)) return;
    settle(index, face.failed(idAt(index), elapsedMs(), cause, state), { cause });
  }

  function settle(
    index: number,
    ended: Status,
    outcome: { readonly answer?: Answer; readonly cause?: unknown },
  ): void {
    const noted = notes[index];
    const status = noted === undefined ? ended : { ...ended, ...noted };
    statuses[index] = status;
    running -= 1;
    // `onSettled` may cancel, which settles others in between: only one of them may be the last.
    const last = running === 0;
    if (last) clearTimeout(timer);
    onSettled(idAt(index), status, outcome);
    const traced = traces[index];
    if (traced !== undefined) {
      traced.status = status;
      channel.asyncStart.publish(traced);
      channel.asyncEnd.publish(traced);
    }
    if (last) onDone();
  }

  function endAll(cause: Error, reason: unknown, state?: SettledState): void {
    if (running === 0) return;
    for (let index = 0; index < sources.length; index++) fail(index, cause, state);
    controller.abort(reason);
  }

  function note(index: number, facts: SourceFacts): void {
    if (isRunning(index)) notes[index] = withFacts(notes[index], facts);
  }

  const ask = (source: Source, index: number): Promise<Answer> =>
    face.ask(source, query, { signal, deadline, note: (facts) => note(index, facts) });

  /** Asks a source inside the stores that subscribers bind to `start`. */
  function askTraced(source: Source, index: number, call: CallTrace): Promise<Answer> {
    const traced = face.traceSource(call, source.id);
    traces[index] = traced;
    const asked = channel.start.runStores(traced, ask, undefined, source, index);
    channel.end.publish(traced);
    return asked;
  }

  sources.forEach((source, index) => {
    const asked = trace === undefined ? ask(source, index) : askTraced(source, index, trace);
    asked.then(
      (value) => answer(index, value),
      (cause) => fail(index, cause),
    );
  });

  return { statuses, cancel: (reason) => endAll(face.left(), reason, 'cancelled') };
}
