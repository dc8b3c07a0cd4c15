import type { FromWorker, ToWorker } from '../../src/contract/frames.ts';
import { decodeFromWorker } from '../../src/wire/from-worker-codec.ts';
import { encodeToWorker } from '../../src/wire/to-worker-codec.ts';
import { type Served, serveTasks } from '../../src/worker/serve-tasks.ts';
import { type Channel, processChannel } from '../wire-fixture.ts';

/** A worker whose other end is the test. */
export interface ServedRig {
  readonly served: Served;
  /** Frames of each message, but for reports of load: these come at times that are unknown here. */
  readonly messages: FromWorker[][];
  readonly loads: FromWorker[];
  /** Frames of all messages, and events between them: `claimed 1`, `exit 0`. */
  readonly log: (FromWorker | string)[];
  send(...frames: readonly ToWorker[]): void;
  /** Resolves when so much has been told. */
  until(done: (log: readonly (FromWorker | string)[]) => boolean): Promise<void>;
}

/** The text of a module, of which `tasks` and `hooks` are JavaScript. */
export function moduleOf(tasks: string, hooks = '{}'): string {
  const text = `export default { tasks: ${tasks}, hooks: ${hooks} }; // ${Math.random()}`;
  return `data:text/javascript,${encodeURIComponent(text)}`;
}

export function serveRig(
  module: string,
  channel: Channel = processChannel,
  takenBack: ReadonlySet<number> = new Set(),
): ServedRig {
  let check = (): void => {};
  const messages: FromWorker[][] = [];
  const loads: FromWorker[] = [];
  const log: (FromWorker | string)[] = [];
  const add = (...entries: readonly (FromWorker | string)[]): void => {
    log.push(...entries);
    check();
  };
  const served = serveTasks({
    workerId: 3,
    slot: 0,
    module,
    transfers: channel.transfers,
    post: (message, transfer) => {
      const all = decodeFromWorker(channel.carry({ message, transfer, only: undefined })) ?? [];
      const frames = all.filter(({ kind }) => kind !== 'load');
      loads.push(...all.filter(({ kind }) => kind === 'load'));
      messages.push(frames);
      add(...frames);
    },
    claim(seq) {
      add(`claimed ${seq}`);
      return !takenBack.has(seq);
    },
    memoryBytes: () => 12345,
    exit: (code) => add(`exit ${code}`),
  });
  return {
    served,
    messages,
    loads,
    log,
    send: (...frames) => {
      for (const posting of encodeToWorker(frames, channel).messages) {
        served.receive(channel.carry(posting));
      }
    },
    until: (done) =>
      new Promise((resolve) => {
        check = () => {
          if (done(log)) resolve();
        };
        check();
      }),
  };
}

/** One that has told `ready`, and nothing since. */
export async function readyRig(
  module: string,
  channel?: Channel,
  takenBack?: ReadonlySet<number>,
): Promise<ServedRig> {
  const rig = serveRig(module, channel, takenBack);
  await rig.until((log) => log.length === 1);
  // What follows `ready` in the worker has run, too.
  await new Promise(setImmediate);
  rig.log.length = 0;
  rig.messages.length = 0;
  rig.loads.length = 0;
  return rig;
}
