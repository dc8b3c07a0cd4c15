/** Writes progress and remaining time to standard error. */
export interface Progress {
  /** Begins a stage of `steps` steps. */
  begin(what: string, steps: number): void;
  step(): void;
  end(): void;
}

/** An output. A terminal line is overwritten; elsewhere a line is written now and then. */
export interface ProgressOutput {
  write(text: string): unknown;
  readonly isTTY?: boolean;
}

const LINE_EVERY_MS = 10_000;

/** `now`: a clock in milliseconds. */
export function createProgress(
  output: ProgressOutput = process.stderr,
  now: () => number = () => performance.now(),
): Progress {
  let what = '';
  let [steps, done, startedAt, shownAt] = [0, 0, 0, Number.NEGATIVE_INFINITY];
  function show(isLast: boolean): void {
    const due = isLast || output.isTTY === true || now() - shownAt >= LINE_EVERY_MS;
    if (!due || what === '') return;
    shownAt = now();
    const line = `${what}  ${done}/${steps}  ${leftOf({ done, steps, elapsedMs: now() - startedAt })}`;
    output.write(output.isTTY ? `\r\u001B[K${line}${isLast ? '\n' : ''}` : `${line}\n`);
  }
  return {
    begin(name, count) {
      [what, steps, done, startedAt, shownAt] = [name, count, 0, now(), Number.NEGATIVE_INFINITY];
      show(false);
    },
    step() {
      done += 1;
      show(false);
    },
    end() {
      show(true);
      what = '';
    },
  };
}

/** Formats the remaining time at the pace so far. */
function leftOf(run: {
  readonly done: number;
  readonly steps: number;
  readonly elapsedMs: number;
}): string {
  const { done, steps, elapsedMs } = run;
  if (done === 0) return 'starting';
  const seconds = Math.round(((elapsedMs / done) * (steps - done)) / 1000);
  return done >= steps ? `done in ${minutes(elapsedMs / 1000)}` : `${minutes(seconds)} left`;
}

function minutes(seconds: number): string {
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
