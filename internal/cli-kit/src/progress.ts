/** Shows on standard error how far a run is: a bar on a terminal, elsewhere a line every 10 s. */
export interface Progress {
  /** Begins a stage of `steps` steps. */
  begin(what: string, steps: number): void;
  /** Counts steps. Default one. */
  step(steps?: number): void;
  /** Erases the bar while something else writes to the terminal; the next step draws it again. */
  aside(write: () => void): void;
  end(): void;
}

/** An output. A terminal's line is overwritten, 10 times per second at most; elsewhere a line is written every 10 s. */
export interface ProgressOutput {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

const LINE_EVERY_MS = 10_000;
const DRAW_EVERY_MS = 100;
const CELLS = 24;
/** Carriage return, then erase to the end of the line. */
const ERASE_LINE = '\r\u001B[K';

export interface ProgressOptions {
  /** Default: standard error. */
  readonly output?: ProgressOutput;
  /** Milliseconds. Default: the platform's clock. */
  readonly now?: () => number;
  /** True if the end of a stage leaves its bar on a terminal. Default true. */
  readonly leavesBar?: boolean;
}

/** Creates the progress of one run after another. */
export function createProgress({
  output = process.stderr,
  now = () => performance.now(),
  leavesBar = true,
}: ProgressOptions = {}): Progress {
  const isTerminal = output.isTTY === true;
  let what = '';
  let [steps, done, startedAt, shownAt, hasShown] = [0, 0, 0, 0, false];

  function show(isLast: boolean): void {
    const everyMs = isTerminal ? DRAW_EVERY_MS : LINE_EVERY_MS;
    const isDue = isLast ? isTerminal || hasShown : now() - shownAt >= everyMs;
    if (!isDue || what === '') return;
    [shownAt, hasShown] = [now(), true];
    const left = leftOf({ done, steps, elapsedMs: now() - startedAt });
    const line = `${what}  ${inThousands(done)}/${inThousands(steps)}  ${left}`;
    if (!isTerminal) output.write(`${line}\n`);
    else {
      const text = `${bar(done / steps)}  ${line}`.slice(0, (output.columns ?? 80) - 1);
      output.write(`${ERASE_LINE}${text}${isLast ? '\n' : ''}`);
    }
  }

  return {
    begin(name, count) {
      [what, steps, done, startedAt, hasShown] = [name, count, 0, now(), false];
      shownAt = isTerminal ? Number.NEGATIVE_INFINITY : startedAt;
      show(false);
    },
    step(count = 1) {
      done += count;
      show(false);
    },
    aside(write) {
      if (isTerminal && what !== '') output.write(ERASE_LINE);
      write();
      if (isTerminal) shownAt = Number.NEGATIVE_INFINITY;
    },
    end() {
      if (leavesBar || !isTerminal) show(true);
      else if (what !== '') output.write(ERASE_LINE);
      what = '';
    },
  };
}

/** Draws a share of 0 to 1 as 24 cells and a percentage. */
export function bar(share: number): string {
  const part = Math.min(1, Math.max(0, Number.isFinite(share) ? share : 0));
  const filled = Math.round(part * CELLS);
  return `${'█'.repeat(filled)}${'░'.repeat(CELLS - filled)} ${String(Math.floor(part * 100)).padStart(3)} %`;
}

/** Formats the remaining time at the pace so far. */
function leftOf(run: {
  readonly done: number;
  readonly steps: number;
  readonly elapsedMs: number;
}): string {
  const { done, steps, elapsedMs } = run;
  if (done === 0) return 'starting';
  if (done >= steps) return `done in ${minutes(elapsedMs / 1000)}`;
  return `${minutes(((elapsedMs / done) * (steps - done)) / 1000)} left`;
}

function minutes(seconds: number): string {
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

function inThousands(count: number): string {
  return count.toLocaleString('en-US');
}
