/** Record of runs: counts calls that ran twice without permission, and loads of one key at a time. */
export class Ledger {
  /** Calls that began a second time, though they may not. */
  twice = 0;
  /** Loads that began, and the number of them while another host loaded the same key. */
  loadsBegun = 0;
  doubleLoads = 0;
  /** Loads of one key at a time, at most. */
  mostLoads = 0;
  /** Calls that each host began since `takeBegun`. */
  #begun = new Map<number, number>();
  /** Begins of each call, by id: 2 counts for all above. */
  readonly #times: Uint8Array;
  readonly #mayTwice: (id: number) => boolean;
  readonly #open = new Map<string, Set<number>>();

  constructor(calls: number, mayTwice: (id: number) => boolean) {
    this.#times = new Uint8Array(calls);
    this.#mayTwice = mayTwice;
  }

  began(id: number, host: number): void {
    this.#begun.set(host, (this.#begun.get(host) ?? 0) + 1);
    const times = Math.min(2, (this.#times[id] ?? 0) + 1);
    if (times === 2 && !this.#mayTwice(id)) this.twice += 1;
    this.#times[id] = times;
  }

  loads(key: string, host: number): void {
    const hosts = this.#open.get(key) ?? new Set();
    this.#open.set(key, hosts);
    hosts.add(host);
    this.loadsBegun += 1;
    if (hosts.size > 1) this.doubleLoads += 1;
    this.mostLoads = Math.max(this.mostLoads, hosts.size);
  }

  loaded(key: string, host: number): void {
    const hosts = this.#open.get(key);
    hosts?.delete(host);
    if (hosts?.size === 0) this.#open.delete(key);
  }

  /** Notes that the machine is gone, and its loads with it. */
  ended(host: number): void {
    for (const key of this.#open.keys()) this.loaded(key, host);
  }

  /** Returns the number of calls that each host has begun since the last time. */
  takeBegun(): ReadonlyMap<number, number> {
    const begun = this.#begun;
    this.#begun = new Map();
    return begun;
  }
}
