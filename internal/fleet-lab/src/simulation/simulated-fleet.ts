import { DispatchError } from '@ticketing/dispatch';
import { createNatsDispatcher, type NatsDispatcher } from '@ticketing/dispatch-nats';
import { Chance, zipf } from './chance.ts';
import { Ledger } from './ledger.ts';
import type { Ended } from './measures.ts';
import type { Setting } from './settings.ts';
import { SimulatedHost, type SimulatedTasks } from './simulated-host.ts';
import { SimulatedNats } from './simulated-nats.ts';
import { Machine, type VirtualTime } from './virtual-time.ts';

/** Returns true for half of the ids, which may run twice. */
const mayTwice = (id: number): boolean => id % 2 === 0;

/** Hosts and dispatchers on one simulated network: their programs are the real ones. */
export class SimulatedFleet {
  readonly nats: SimulatedNats;
  readonly ledger: Ledger;
  readonly chance: Chance;
  readonly setting: Setting;
  readonly time: VirtualTime;
  readonly dispatchers: {
    readonly machine: Machine;
    readonly dispatcher: NatsDispatcher<SimulatedTasks>;
  }[] = [];
  /** Called with the end of each call; at first does nothing. */
  onEnded: (ended: Ended) => void = () => {};
  asked = 0;
  readonly #hosts = new Set<SimulatedHost>();
  #lastHost = 0;
  #lastId = 0;
  #isAsking = false;
  /** Calls that hosts gave back before they were gone. */
  #busyBefore = 0;

  constructor(
    setting: Setting,
    { time, seed }: { readonly time: VirtualTime; readonly seed: number },
  ) {
    this.setting = setting;
    this.time = time;
    this.chance = new Chance(seed);
    this.nats = new SimulatedNats(time, setting.network, this.chance.fork());
    const seconds = setting.phases.reduce((sum, phase) => sum + phase.seconds, 0);
    const calls = 1.2 * setting.callsPerSecond * (seconds + setting.warmUpSeconds) + 1000;
    this.ledger = new Ledger(calls, mayTwice);
    for (let count = 0; count < setting.workerHosts; count += 1) this.join();
    for (let count = 0; count < setting.servingHosts; count += 1) this.#addDispatcher(count);
  }

  /** Hosts that can be asked. */
  get hosts(): readonly SimulatedHost[] {
    return [...this.#hosts].filter(({ isThere }) => isThere);
  }

  /** Calls that went back for want of room, so far. */
  get busy(): number {
    let sum = this.#busyBefore;
    for (const host of this.#hosts) sum += host.busy;
    return sum;
  }

  get retried(): number {
    return this.dispatchers.reduce((sum, { dispatcher }) => sum + dispatcher.stats().retried, 0);
  }

  /** Starts a host. */
  join(): SimulatedHost {
    const { setting, chance, time, nats, ledger } = this;
    this.#lastHost += 1;
    const isSlow = chance.next() < setting.slowShare;
    const speed = chance.lognormal(setting.speedSigma) / (isSlow ? setting.slowBy : 1);
    const host = new SimulatedHost(
      this.#lastHost,
      { ...setting, ...this.#machineOptions(this.#lastHost), speed },
      { time, nats, chance: chance.fork(), ledger },
    );
    this.#hosts.add(host);
    return host;
  }

  kill(host: SimulatedHost): void {
    host.kill();
    this.#gone(host);
  }

  async leave(host: SimulatedHost): Promise<void> {
    await host.leave();
    this.#gone(host);
  }

  /** Makes every dispatcher ask for a key, so that each has its sessions with owners. */
  askKeys(): void {
    if (this.setting.keyedPerSecond === 0) return;
    for (const { dispatcher } of this.dispatchers) this.#askLoad(dispatcher, 'key 0');
  }

  /** Asks at the setting's rate until `stopAsking`. */
  startAsking(): void {
    this.#isAsking = true;
    const { callsPerSecond, keyedPerSecond, servingHosts, keys } = this.setting;
    const everyMs = (1000 * servingHosts) / callsPerSecond;
    const keyedEveryMs = (1000 * servingHosts) / keyedPerSecond;
    for (const [index, { machine, dispatcher }] of this.dispatchers.entries()) {
      const chance = this.chance.fork();
      const next = (meanMs: number): number =>
        this.setting.arrivals === 'even' ? meanMs : chance.exponential(meanMs);
      const firstMs = (everyMs * index) / servingHosts;
      this.#repeat(
        machine,
        firstMs,
        () => next(everyMs),
        () => this.#ask(dispatcher),
      );
      if (keyedPerSecond === 0) continue;
      const draw = zipf(keys, chance.fork());
      const load = (): void => this.#askLoad(dispatcher, `key ${draw()}`);
      this.#repeat(machine, next(keyedEveryMs), () => next(keyedEveryMs), load);
    }
  }

  stopAsking(): void {
    this.#isAsking = false;
  }

  async close(): Promise<void> {
    await Promise.all(this.dispatchers.map(({ dispatcher }) => dispatcher.close({ graceMs: 1 })));
    await Promise.all([...this.#hosts].map((host) => host.close()));
  }

  #gone(host: SimulatedHost): void {
    this.#busyBefore += host.busy;
    this.#hosts.delete(host);
  }

  #addDispatcher(index: number): void {
    const { sessions, beatMs, missedBeats } = this.setting;
    const machine = new Machine(this.time, this.#machineOptions(index));
    const dispatcher = createNatsDispatcher<SimulatedTasks>({
      nats: this.nats.connect(machine),
      fleet: 'sim',
      name: `d${index}`,
      hosts: { max: sessions, zone: machine.zone },
      beatMs,
      missedBeats,
      maxQueue: 100_000,
      clock: machine,
      random: this.chance.fork().next,
    });
    this.dispatchers.push({ machine, dispatcher });
  }

  #machineOptions(index: number): { zone: string; origin: number; rate: number } {
    const { zones, clockOffsetMs, clockRatePpm } = this.setting;
    const either = (): number => 2 * this.chance.next() - 1;
    return {
      zone: `z${index % zones}`,
      // Of a clock that starts with its machine: only its own differences count.
      origin: 1e6 + either() * clockOffsetMs,
      rate: 1 + (either() * clockRatePpm) / 1e6,
    };
  }

  #repeat(machine: Machine, firstMs: number, nextMs: () => number, what: () => void): void {
    const again = (): void => {
      if (!this.#isAsking) return;
      what();
      machine.setTimeout(again, nextMs());
    };
    machine.setTimeout(again, firstMs);
  }

  #ask(dispatcher: NatsDispatcher<SimulatedTasks>): void {
    this.#lastId += 1;
    this.asked += 1;
    const id = this.#lastId;
    const { timeoutMs } = this.setting;
    const twice = mayTwice(id) ? { idempotent: true, retries: 1 } : {};
    this.#follow(dispatcher.run('work', { id }, { timeoutMs, ...twice }), false);
  }

  #askLoad(dispatcher: NatsDispatcher<SimulatedTasks>, key: string): void {
    this.asked += 1;
    const { timeoutMs } = this.setting;
    const options = { key, timeoutMs, idempotent: true, retries: 1 };
    this.#follow(dispatcher.run('load', { key }, options), true);
  }

  #follow(call: Promise<unknown>, hasKey: boolean): void {
    const from = this.time.now;
    call.then(
      () => this.onEnded({ ms: this.time.now - from, code: '', hasKey }),
      (error) => {
        const code = DispatchError.is(error) ? error.code : String(error);
        this.onEnded({ ms: this.time.now - from, code, hasKey });
      },
    );
  }
}
