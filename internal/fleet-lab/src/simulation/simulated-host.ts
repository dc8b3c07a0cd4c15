import type { Dispatcher, RunOptions } from '@ticketing/dispatch';
import { type NatsHost, serveNatsTasks } from '@ticketing/dispatch-nats';
import type { Chance } from './chance.ts';
import type { Ledger } from './ledger.ts';
import type { Connection, SimulatedNats } from './simulated-nats.ts';
import { Machine, type VirtualTime } from './virtual-time.ts';

/** Tasks of every host: `work` for a call, `load` for a question that equal ones share. */
export type SimulatedTasks = {
  readonly work: (input: { readonly id: number }) => number;
  readonly load: (input: { readonly key: string }) => number;
};

export interface HostSetting {
  readonly zone: string;
  readonly capacity: number;
  readonly taskMs: number;
  readonly taskSigma: number;
  /** Factor by which the host is faster than the others. */
  readonly speed: number;
  readonly origin: number;
  readonly rate: number;
}

/** Program of a host: the real one, whose tasks take virtual time. */
export class SimulatedHost {
  readonly number: number;
  readonly machine: Machine;
  speed: number;
  readonly #setting: HostSetting;
  readonly #chance: Chance;
  readonly #ledger: Ledger;
  readonly #connection: Connection;
  readonly #host: NatsHost;
  /** Loads under way, by key. */
  readonly #loads = new Map<string, Promise<number>>();
  #running = 0;

  constructor(
    number: number,
    setting: HostSetting,
    {
      time,
      nats,
      chance,
      ledger,
    }: {
      readonly time: VirtualTime;
      readonly nats: SimulatedNats;
      readonly chance: Chance;
      readonly ledger: Ledger;
    },
  ) {
    this.number = number;
    this.#setting = setting;
    this.#chance = chance;
    this.#ledger = ledger;
    this.speed = setting.speed;
    this.machine = new Machine(time, setting);
    this.#connection = nats.connect(this.machine);
    const { zone, capacity } = setting;
    this.#host = serveNatsTasks<SimulatedTasks>({
      nats: this.#connection,
      fleet: 'sim',
      dispatcher: this.#dispatcher(),
      tasks: ['work', 'load'],
      hostId: `h${number}`,
      zone,
      capacity,
      clock: this.machine,
      random: chance.next,
    });
  }

  get isThere(): boolean {
    return this.machine.state === 'up' && this.#host.state === 'serving';
  }

  /** Calls that run or wait here. */
  get running(): number {
    return this.#running;
  }

  /** Calls that went back for want of room, so far. */
  get busy(): number {
    return this.#host.stats().busy;
  }

  /** Ends at once, without a word. */
  kill(): void {
    this.machine.die();
    this.#connection.end();
    this.#ledger.ended(this.number);
  }

  /** Leaves the fleet, then ends. */
  async leave(): Promise<void> {
    await this.#host.drain({ timeoutMs: 30_000 });
    await this.#host.close();
    this.kill();
  }

  async close(): Promise<void> {
    await this.#host.close();
    this.kill();
  }

  /** Returns a dispatcher with the members that a host uses: `run` and `stats`. */
  #dispatcher(): Dispatcher<SimulatedTasks> {
    const run = (task: string, input: unknown, options: RunOptions = {}): Promise<unknown> =>
      task === 'work'
        ? this.#work((input as { id: number }).id, options)
        : this.#load((input as { key: string }).key, options);
    return { run, stats: () => ({ workers: [] }) } as never;
  }

  async #work(id: number, options: RunOptions): Promise<number> {
    this.#ledger.began(id, this.number);
    await this.#takesTime(options);
    return id;
  }

  /** Runs a load as a coalescer does: equal questions share it, and it goes on without its first caller. */
  async #load(key: string, { signal }: RunOptions): Promise<number> {
    let load = this.#loads.get(key);
    if (load === undefined) {
      const loading = async (): Promise<number> => {
        this.#ledger.loads(key, this.number);
        await this.#takesTime({});
        return this.number;
      };
      load = loading().finally(() => {
        this.#loads.delete(key);
        this.#ledger.loaded(key, this.number);
      });
      this.#loads.set(key, load);
    }
    return await orAborted(load, signal);
  }

  /** Waits as long as a task takes here. */
  async #takesTime({ signal }: RunOptions): Promise<void> {
    const { taskMs, taskSigma } = this.#setting;
    const ms = (taskMs * this.#chance.lognormal(taskSigma)) / this.speed;
    this.#running += 1;
    try {
      await new Promise<void>((resolve, reject) => {
        const timer = this.machine.setTimeout(resolve, ms);
        signal?.addEventListener(
          'abort',
          () => {
            this.machine.clearTimeout(timer);
            reject(signal.reason);
          },
          { once: true },
        );
      });
    } finally {
      this.#running -= 1;
    }
  }
}

function orAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    promise.then(resolve, reject);
  });
}
