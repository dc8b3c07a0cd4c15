import { hashText, heaviest, rendezvousWeight } from '@ticketing/kit';
import type { NatsLossSign, NatsRefusal } from '../contract.ts';
import { type Announcement, PROTOCOL, V8_FORMAT } from './announcement.ts';
import { publishHostEvent } from './host-events.ts';

/** Hosts that a dispatcher remembers: what a stranger announces must not fill its memory. */
export const MAX_KNOWN = 10_000;
/** Hosts that own keys, at most: each dispatcher has a session with all of them. */
const MAX_OWNERS = 16;
/** A host that misses this many announcements in a row is forgotten; each says when the next is due (`withinMs`). */
const MISSED_ANNOUNCEMENTS = 3;
/** Hosts that have not announced themselves are looked for this often. */
const LOOK_MS = 1000;
/** A host that was full is asked again after this. */
const FULL_MS = 1000;
/** A host that was silent is asked again after this, then after twice as long, 16 s at most: its session alone may be gone. */
const PROBE_MS = 1000;
const MAX_PROBE_MS = 16_000;

/** A host as a dispatcher knows it. */
export interface KnownHost {
  announcement: Announcement;
  readonly hash: number;
  heardAt: number;
  /** `silent`: lost, or it did not answer; until it announces itself, or is asked again. */
  state: 'serving' | 'leaving' | 'silent';
  readonly refused: NatsRefusal | undefined;
  fullUntil: number;
  /** When a silent host is asked again; 0: not decided yet. */
  probeAt: number;
  probeMs: number;
  /** Milliseconds for which workers that were given up had waited for its answer, since it last gave one. */
  unansweredMs: number;
}

export interface FleetOptions {
  readonly fleet: string;
  /** Id and name of the dispatcher. */
  readonly id: string;
  readonly name: string;
  readonly tasks: readonly string[];
  readonly max: number;
  readonly zone: string | undefined;
}

/** The hosts that a dispatcher knows, those that it uses, and those that own keys. */
export class Fleet {
  readonly hosts: Map<string, KnownHost> = new Map();
  readonly refused: Record<NatsRefusal, number> = {
    full: 0,
    leaving: 0,
    protocol: 0,
    v8: 0,
    tasks: 0,
  };
  readonly lost: Record<NatsLossSign, number> = {
    'no-responders': 0,
    silence: 0,
    disconnect: 0,
    gap: 0,
    malformed: 0,
    ended: 0,
  };
  readonly #options: FleetOptions;
  readonly #hash: number;
  /** Set once a call has a key. */
  #usesKeys = false;
  #wanted: readonly KnownHost[] | undefined;
  /** Those of `wanted` that are there for their keys alone. */
  #forKeys: ReadonlySet<string> = new Set();
  #owners: readonly KnownHost[] | undefined;
  #tasks: readonly string[] | undefined;
  /** Some host is silent or full: it is looked at each time. */
  #hasAway = false;
  #lookAt = 0;

  constructor(options: FleetOptions) {
    this.#options = options;
    this.#hash = hashText(options.id);
  }

  /** Takes an announcement in. @returns whether anything has changed for sessions */
  hear(announcement: Announcement, now: number): boolean {
    const { id, state } = announcement;
    const known = this.hosts.get(id);
    if (state === 'closed') return this.#forget(id);
    if (known !== undefined && known.state === state && isSame(known.announcement, announcement)) {
      known.announcement = announcement;
      known.heardAt = now;
      known.probeMs = PROBE_MS;
      return false;
    }
    if (known === undefined && this.hosts.size >= MAX_KNOWN) return false;
    const refused = this.#refusalOf(announcement);
    const host: KnownHost = {
      announcement,
      hash: hashText(id),
      heardAt: now,
      state,
      refused,
      fullUntil: known?.fullUntil ?? 0,
      probeAt: 0,
      probeMs: PROBE_MS,
      unansweredMs: 0,
    };
    this.hosts.set(id, host);
    if (refused !== undefined && known?.refused !== refused) this.refuse(id, refused);
    if (refused === undefined) this.#publish(known, host);
    this.#changed();
    return true;
  }

  /** A host is passed over, or has refused a session. */
  refuse(id: string, reason: NatsRefusal): void {
    this.refused[reason] += 1;
    publishHostEvent({ type: 'refused', name: this.#options.name, host: id, reason });
  }

  /** A host has no room for one more dispatcher. */
  full(id: string, now: number): void {
    const host = this.hosts.get(id);
    if (host !== undefined) host.fullUntil = now + FULL_MS;
    this.#hasAway = true;
    this.refuse(id, 'full');
    this.#changed();
  }

  /** A session was lost. A host that can no longer be reached is not used until it announces itself. */
  loses(id: string, sign: NatsLossSign): void {
    this.lost[sign] += 1;
    publishHostEvent({ type: 'lost', name: this.#options.name, host: id, sign });
    if (sign === 'no-responders') this.#forget(id);
    if (sign === 'silence') this.silent(id);
  }

  silent(id: string): void {
    const host = this.hosts.get(id);
    if (host === undefined || host.state === 'silent') return;
    host.state = 'silent';
    host.unansweredMs = 0;
    this.#hasAway = true;
    this.#changed();
  }

  leaving(id: string): void {
    const host = this.hosts.get(id);
    if (host?.state !== 'serving') return;
    host.state = 'leaving';
    publishHostEvent({ type: 'leaving', name: this.#options.name, host: id });
    this.#changed();
  }

  /** The connection broke: no host can be reached until it announces itself, or is asked again. */
  cutOff(): void {
    for (const id of this.hosts.keys()) this.silent(id);
  }

  /** Forgets hosts that have not announced themselves. @returns whether the hosts that are wanted may have changed */
  tick(now: number): boolean {
    if (!this.#hasAway && now < this.#lookAt) return false;
    this.#lookAt = now + LOOK_MS;
    this.#hasAway = false;
    let changed = false;
    for (const [id, host] of this.hosts) {
      const forgottenAt = host.heardAt + MISSED_ANNOUNCEMENTS * host.announcement.withinMs;
      if (now > forgottenAt) changed = this.#forget(id) || changed;
      else if (host.state === 'silent') changed = this.#probe(host, now) || changed;
      if (host.state === 'silent' || now < host.fullUntil) this.#hasAway = true;
      if (host.fullUntil === 0 || now < host.fullUntil) continue;
      host.fullUntil = 0;
      this.#changed();
      changed = true;
    }
    return changed;
  }

  /** @returns whether a silent host is to be asked again */
  #probe(host: KnownHost, now: number): boolean {
    if (host.probeAt === 0) host.probeAt = now + host.probeMs;
    if (now < host.probeAt) return false;
    host.probeAt = 0;
    host.probeMs = Math.min(2 * host.probeMs, MAX_PROBE_MS);
    host.state = host.announcement.state === 'leaving' ? 'leaving' : 'serving';
    this.#changed();
    return true;
  }

  /** The hosts that this dispatcher has sessions with, the best first: own zone, then by a weight that differs in each. */
  get wanted(): readonly KnownHost[] {
    this.#wanted ??= this.#choose();
    return this.#wanted;
  }

  /** Whether a host is wanted for the keys that it owns alone: it has such a session with every dispatcher. */
  isForKeys(id: string): boolean {
    return this.wanted.length > 0 && this.#forKeys.has(id);
  }

  /** Whether sessions with owners of keys became wanted. */
  useKeys(): boolean {
    if (this.#usesKeys) return false;
    this.#usesKeys = true;
    this.#changed();
    return true;
  }

  get usesKeys(): boolean {
    return this.#usesKeys;
  }

  isOwnZone({ announcement }: KnownHost): boolean {
    const { zone } = this.#options;
    return zone === undefined || announcement.zone === zone;
  }

  /** The host that owns a key: the same for every dispatcher that knows the same hosts. */
  ownerOf(key: string): string | undefined {
    const owners = this.#ownersOfKeys;
    const owner = heaviest(owners.length, hashText(key), (index) => owners[index]?.hash);
    return owners[owner]?.announcement.id;
  }

  /** Tasks that any of the hosts has. */
  get tasks(): readonly string[] {
    this.#tasks ??= this.#allTasks();
    return this.#tasks;
  }

  #allTasks(): readonly string[] {
    const tasks = new Set<string>();
    for (const { announcement, refused } of this.hosts.values()) {
      if (refused === undefined) for (const task of announcement.tasks) tasks.add(task);
    }
    return [...tasks];
  }

  get #ownersOfKeys(): readonly KnownHost[] {
    this.#owners ??= best(this.#fitting(), hashText(this.#options.fleet)).slice(0, MAX_OWNERS);
    return this.#owners;
  }

  #choose(): readonly KnownHost[] {
    const fitting = this.#fitting().filter(({ fullUntil }) => fullUntil === 0);
    const ordered = best(fitting, this.#hash);
    const own = ordered.filter((host) => this.isOwnZone(host));
    const others = ordered.filter((host) => !this.isOwnZone(host));
    const chosen = new Set([...own, ...others].slice(0, this.#options.max));
    const owners = this.#usesKeys ? this.#ownersOfKeys : [];
    const added = owners.filter((owner) => owner.fullUntil === 0 && !chosen.has(owner));
    this.#forKeys = new Set(added.map(({ announcement: { id } }) => id));
    return [...chosen, ...added];
  }

  #fitting(): KnownHost[] {
    return [...this.hosts.values()].filter(
      ({ state, refused }) => state === 'serving' && refused === undefined,
    );
  }

  #refusalOf({ protocol, v8, tasks }: Announcement): NatsRefusal | undefined {
    if (protocol !== PROTOCOL) return 'protocol';
    if (v8 !== V8_FORMAT) return 'v8';
    return this.#options.tasks.every((task) => tasks.includes(task)) ? undefined : 'tasks';
  }

  #publish(known: KnownHost | undefined, { announcement: { id }, state }: KnownHost): void {
    const { name } = this.#options;
    if (state === 'leaving' && known?.state !== 'leaving') {
      publishHostEvent({ type: 'leaving', name, host: id });
    } else if (state === 'serving' && known?.state !== 'serving') {
      publishHostEvent({ type: 'joined', name, host: id });
    }
  }

  #forget(id: string): boolean {
    const wasKnown = this.hosts.delete(id);
    if (wasKnown) this.#changed();
    return wasKnown;
  }

  #changed(): void {
    this.#wanted = undefined;
    this.#owners = undefined;
    this.#tasks = undefined;
  }
}

/** Hosts by their weight for a name, the greatest first. */
function best(hosts: readonly KnownHost[], hash: number): KnownHost[] {
  return hosts
    .map((host) => ({ host, weight: rendezvousWeight(hash, host.hash) }))
    .sort((a, b) => b.weight - a.weight)
    .map(({ host }) => host);
}

function isSame(a: Announcement, b: Announcement): boolean {
  return JSON.stringify({ ...a, withinMs: 0 }) === JSON.stringify({ ...b, withinMs: 0 });
}
