import type { ToWorker } from '../contract/frames.ts';
import type { WorkerEvents, WorkerHandle } from '../contract/transport.ts';
import { decodeFromWorker } from '../wire/from-worker-codec.ts';
import { postToWorker } from '../wire/to-worker-codec.ts';
import { WorkerProcess, type WorkerProcessStart } from './worker-process.ts';

/**
 * Starts a process as a worker: frames go over its channel. `foreign` gets every other message.
 *
 * @throws what the platform throws when it cannot start a process
 */
export function startWorker(
  start: WorkerProcessStart,
  events: WorkerEvents,
  foreign: (message: unknown) => void = () => {},
): WorkerHandle {
  const child = new WorkerProcess(start, {
    message(message) {
      const frames = decodeFromWorker(message);
      if (frames === undefined) foreign(message);
      else events.frames(frames);
    },
    exit: (end) => events.exit(end),
  });
  return {
    pid: child.pid,
    send(frames) {
      const seq = highestSeq(frames);
      return postToWorker(frames, (message) => child.send(message, seq), { transfers: false });
    },
    started: () => child.started(),
    reclaim: (seqs) => child.reclaim(seqs),
    kill: () => child.kill(),
    hold: (alive) => child.hold(alive),
  };
}

function highestSeq(frames: readonly ToWorker[]): number {
  const last = frames.findLast((frame) => frame.kind === 'run');
  return last?.seq ?? 0;
}

// What is said to the main program alone: a program on the command line (a child would run it again, without end),
// watching, testing, and the inspector, whose port is taken.
const OWN = [
  /^-(?:e|p|pe|i|c)$/,
  /^--(?:eval|print|interactive|check|run|input-type|debug-port)(?:=|$)/,
  /^--(?:watch|test|inspect)(?:[-=]|$)/,
];

/**
 * Gives those of a program's Node options that its workers need as well, such as `--conditions` and `--import`: all but
 * `--eval`, `--print`, `--check`, `--interactive`, `--run`, `--input-type`, `--watch…`, `--test…` and `--inspect…`.
 */
export function inheritedExecArgv(execArgv: readonly string[]): string[] {
  const inherited: string[] = [];
  let keep = true;
  for (const argument of execArgv) {
    // What does not begin with a dash is the value of the option before.
    if (argument.startsWith('-')) keep = !OWN.some((pattern) => pattern.test(argument));
    if (keep) inherited.push(argument);
  }
  return inherited;
}
