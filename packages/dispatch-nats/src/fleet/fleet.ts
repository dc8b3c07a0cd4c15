import { hashText, heaviest, rendezvousWeight } from '@ticketing/kit';
import type { NatsLossSign, NatsRefusal } from '../contract/host-event.ts';
import { type Announcement, PROTOCOL, V8_FORMAT } from './announcement.ts';
import { publishHostEvent } from './host-events.ts';
import { noRefusals } from './no-refusals.ts';

/** Most hosts that a dispatcher remembers: announcements of strangers must not fill its memory. */
export const MAX_KNOWN = 10_000;
/** Most hosts that own keys: each dispatcher has a session with all of them. */
const MAX_OWNERS = 16;
/** Missing announcements in a row after which a host is forgotten; each has the time of the next one (`withinMs`). */
const MISSED_ANNOUNCEMENTS = 3;
/** Milliseconds between two searches for hosts that have not announced themselves. */
const LOOK_MS = 1000;
/** Milliseconds after which a host that was full is asked again. */
const FULL_MS = 1000;
/** Milliseconds after which a silent host is asked again, because only its session may be gone; they double with each attempt. */
const PROBE_MS = 1000;
const MAX_PROBE_MS = 16_000;

/** Facts that a dispatcher knows of a host. */
export interface KnownHost {
  announcement: Announcement;
  readonly hash: number;
  heardAt: number;
  /** State of the host. `silent`: lost, or it did not answer; until it announces itself, or is asked again. */
  state: 'serving' | 'leaving' | 'silent';
  readonly refused: NatsRefusal | undefined;
  fullUntil: number;
  /** Time at which a silent host is asked again; 0 before that is decided. */
  probeAt: number;
  probeMs: number;
  /** Milliseconds without an answer since its last one, added up over workers that were given up while they waited for it. */
  unansweredMs: number;
}

/** Notes that a host has answered an opening. */
export function noteAnswer(host: KnownHost): void {
  host.unansweredMs = 0;
}

/** Adds milliseconds in which a host did not answer an opening. */
export function noteSilence(host: KnownHost, ms: number): void {
  host.unansweredMs += ms;
}

/** Facts of a dispatcher by which it chooses its hosts. */
export interface FleetOptions {
  readonly fleet: string;
  /** Id and name of the dispatcher. */
  readonly id: string;
  readonly name: string;
  readonly tasks: readonly string[];
  readonly max: number;
  readonly zone: string | undefined;
}

/** Hosts that a dispatcher knows, hosts that it uses, and hosts that own keys. */
export class Fleet {
  readonly hosts: Map<string, KnownHost> = new Map();
  readonly refused: Record<NatsRefusal, number> = noRefusals();
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
  /** True after the first call with a key. */
  #usesKeys = false;
  #wanted: readonly KnownHost[] | undefined;
  /** Ids of the hosts in `wanted` that are there for their keys alone. */
  #forKeys: ReadonlySet<string> = new Set();
  #owners: readonly KnownHost[] | undefined;
  #tasks: readonly string[] | undefined;
  /** True while a host is silent or full: hosts are checked at each tick then. */
  #hasAway = false;
  #lookAt = 0;

  constructor(options: FleetOptions) {
    this.#options = options;
    this.#hash = hashText(options.id);
  }

  /** Id of the dispatcher in subjects. */
  get id(): string {
    return this.#options.id;
  }

  /** Applies an announcement. @returns true if anything has changed for sessions */
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

  /** Counts a host that is passed over, or has refused a session. */
  refuse(id: string, reason: NatsRefusal): void {
    this.refused[reason] += 1;
    publishHostEvent({ type: 'refused', name: this.#options.name, host: id, reason });
  }

  /** Notes that a host has no room for one more dispatcher. */
  full(id: string, now: number): void {
    const host = this.hosts.get(id);
    if (host !== undefined) host.fullUntil = now + FULL_MS;
    this.#hasAway = true;
    this.refuse(id, 'full');
    this.#changed();
  }

  /** Counts a lost session. A host that can no longer be reached is not used until it announces itself. */
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

  /** Makes all hosts silent after the connection broke, until they announce themselves or are asked again. */
  cutOff(): void {
    for (const id of this.hosts.keys()) this.silent(id);
  }

  /** Forgets hosts that have not announced themselves. @returns true if the wanted hosts may have changed */
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

  /** Returns true if a silent host must be asked again, and makes it serve. */
  #probe(host: KnownHost, now: number): boolean {
    if (host.probeAt === 0) host.probeAt = now + host.probeMs;
    if (now < host.probeAt) return false;
    host.probeAt = 0;
    host.probeMs = Math.min(2 * host.probeMs, MAX_PROBE_MS);
    host.state = host.announcement.state === 'leaving' ? 'leaving' : 'serving';
    this.#changed();
    return true;
  }

  /** Hosts with which this dispatcher should have sessions, the best first: own zone, then by a weight of each dispatcher's own. */
  get wanted(): readonly KnownHost[] {
    this.#wanted ??= this.#choose();
    return this.#wanted;
  }

  /** True if a host may open a session: it is wanted, and has not been silent since it announced itself. */
  get hasHope(): boolean {
    return this.wanted.some(({ probeMs }) => probeMs === PROBE_MS);
  }

  /** Returns true for a host that takes no more calls. */
  isLeaving(id: string): boolean {
    return this.hosts.get(id)?.state === 'leaving';
  }

  /** Returns true for a host that is wanted only for the keys that it owns: it has such a session with every dispatcher. */
  isForKeys(id: string): boolean {
    return this.wanted.length > 0 && this.#forKeys.has(id);
  }

  /** Makes sessions with owners of keys wanted. @returns false if they were before */
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

  /** Returns the id of the host that owns a key, equal in all dispatchers that know the same hosts. */
  ownerOf(key: string): string | undefined {
    const owners = this.#ownersOfKeys;
    const owner = heaviest(owners.length, hashText(key), (index) => owners[index]?.hash);
    return owners[owner]?.announcement.id;
  }

  /** Tasks of all hosts together. */
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

/** Returns hosts in the order of their weights for a name, the greatest first. */
function best(hosts: readonly KnownHost[], hash: number): KnownHost[] {
  return hosts
    .map((host) => ({ host, weight: rendezvousWeight(hash, host.hash) }))
    .sort((a, b) => b.weight - a.weight)
    .map(({ host }) => host);
}

function isSame(a: Announcement, b: Announcement): boolean {
  return JSON.stringify({ ...a, withinMs: 0 }) === JSON.stringify({ ...b, withinMs: 0 });
}
