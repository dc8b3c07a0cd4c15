import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import net, { type Socket } from 'node:net';
import {
  type FromPort,
  fromPort,
  monotonicMs,
  type PortAddress,
  type PortOptions,
  type ToPort,
} from './port-messages.ts';
import { type WaitingConnection, WaitingConnections } from './waiting-connections.ts';

/** Milliseconds in which a worker must claim a connection at its first attempt; each further attempt has twice as long. */
const CLAIM_MS = 1000;
/** The share of that time in which the worker may claim, so that its claim arrives in time. */
const CLAIM_SHARE = 0.75;
/** Longest time between two looks at what waits; a small limit is looked at this often within its time. */
const SWEEP_MS = 250;
const SWEEPS = 8;
/** Least time in which a worker may claim a connection: with less left it is not handed over. */
const LEAST_CLAIM_MS = 20;
/** Milliseconds in which the last messages of an ended process arrive. */
const LINGER_MS = 500;

export interface HeldPortOptions {
  readonly listen: PortOptions;
  /** `shared`: workers accept by themselves. */
  readonly policy: 'round-robin' | 'shared';
  /** Most connections that wait for a worker; the next one is closed. */
  readonly maxWaiting: number;
  /** Milliseconds from its arrival within which a waiting connection is answered with 503. */
  readonly waitMs: number;
  /** Milliseconds without a claim after which a worker that is alive is replaced. */
  readonly claimTimeoutMs: number;
}

/** A worker that serves this port. */
interface Member {
  readonly workerId: number;
  readonly child: ChildProcess;
  /** The connection that it was handed; without `connection` once another worker gets it. */
  handed: { id: number; at: number; until: number; connection?: WaitingConnection } | undefined;
  /** Its server has `maxConnections`. */
  isFull: boolean;
  isLeaving: boolean;
  /** Its successor serves. */
  isRetired: boolean;
  isWedged: boolean;
  /** Since when it has claimed none of the connections it was handed. */
  unclaimedSince: number | undefined;
  heardAt: number;
}

/** The raw handle of a listening socket, as Node delivers it. */
type RawHandle = { close(): void };

/**
 * A port that the primary owns, so that it stays open without workers. In round robin the primary accepts, and hands each
 * worker one connection at a time to claim; an unclaimed one goes to another worker. With a shared socket workers accept, and
 * the primary only while there is no worker.
 */
export class HeldPort {
  readonly #options: HeldPortOptions;
  readonly #members = new Map<number, Member>();
  readonly #free: Member[] = [];
  readonly #waiting: WaitingConnections;
  /** Accepts connections. `undefined` while only workers accept. */
  #server: net.Server | undefined;
  #kept: RawHandle | undefined;
  #opened: Promise<PortAddress | null> | undefined;
  #sweeper: NodeJS.Timeout | undefined;
  #lastId = 0;
  #isClosed = false;
  #emptied: () => void = () => {};
  /** Workers that were replaced because they claimed nothing. */
  wedged = 0;

  constructor(options: HeldPortOptions) {
    this.#options = options;
    this.#waiting = new WaitingConnections(options);
  }

  /** Connections that were closed because too many waited, or because they waited too long. */
  get dropped(): number {
    return this.#waiting.dropped;
  }

  get waiting(): number {
    let { length } = this.#waiting;
    for (const member of this.#members.values()) if (member.handed?.connection) length += 1;
    return length;
  }

  get isDeserted(): boolean {
    return this.#members.size === 0;
  }

  /** Adds a worker to the port, and opens the port for the first one. */
  async join(workerId: number, child: ChildProcess): Promise<void> {
    try {
      this.#opened ??= this.#open(this.#options.listen);
      const address = await this.#opened;
      if (this.#isClosed || !child.connected) return;
      this.#welcome({ workerId, child }, address);
    } catch (error) {
      this.#opened = undefined;
      const { message } = error as Error;
      tell(child, { kind: 'failed', error: { ...(error as Error), message } });
    }
  }

  /** Handles a worker's message, and the handle that came with it. */
  hear(workerId: number, message: ToPort, handle: unknown): void {
    const member = this.#members.get(workerId);
    if (message.kind === 'keep') this.#keep(handle as RawHandle | undefined);
    if (member === undefined) return;
    member.heardAt = monotonicMs();
    if (message.kind === 'claim') this.#answered(member, message.id, true);
    else if (message.kind === 'decline') {
      member.isFull = message.why === 'full';
      this.#answered(member, message.id, false);
    } else if (message.kind === 'pong' && member.handed?.id === message.id) {
      // It has read a message after the connection, but not the connection: its handle was lost.
      member.handed = undefined;
      this.#release(member);
    } else if (message.kind === 'quit') {
      member.isLeaving = true;
      // It follows a connection that may be on its way: the worker then has all that it will get.
      tell(member.child, { kind: 'quitted' });
      if (member.handed === undefined) this.#remove(member);
    }
  }

  /** Hands a worker no more connections: its successor serves. */
  retire(workerId: number): void {
    const member = this.#members.get(workerId);
    if (member === undefined) return;
    member.isRetired = true;
    this.#unfree(member);
  }

  /** Notes that a worker is alive, by a message that is not the port's. */
  heard(workerId: number): void {
    const member = this.#members.get(workerId);
    if (member !== undefined) member.heardAt = monotonicMs();
  }

  /** Removes a worker whose process has ended and whose last message was read. */
  drop(workerId: number): void {
    const member = this.#members.get(workerId);
    if (member === undefined) return;
    this.#remove(member);
    this.#takeBack(member);
    member.handed = undefined;
    this.#pump();
  }

  /** Stops accepting. Resolves when every waiting connection was claimed, or after `longestMs`. */
  async close(longestMs: number): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#server?.close();
    this.#kept?.close();
    this.#kept = undefined;
    if (this.waiting > 0 && this.#members.size > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, longestMs);
        this.#emptied = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    clearInterval(this.#sweeper);
    this.#waiting.clear();
    for (const { handed } of this.#members.values()) handed?.connection?.socket.destroy();
  }

  async #open(listen: object): Promise<PortAddress | null> {
    const server = net.createServer({ pauseOnConnect: true }, (socket) => this.#accepted(socket));
    server.listen(listen);
    await once(server, 'listening');
    // Out of descriptors: what cannot be accepted waits in the system's queue.
    server.on('error', () => {});
    if (this.#isClosed) server.close();
    this.#server = server;
    this.#sweeper ??= setInterval(() => this.#sweep(), this.#sweepMs).unref();
    return server.address();
  }

  #welcome(worker: Pick<Member, 'workerId' | 'child'>, address: PortAddress | null): void {
    const { policy } = this.#options;
    const member: Member = {
      ...worker,
      handed: undefined,
      isFull: false,
      isLeaving: false,
      isRetired: false,
      isWedged: false,
      unclaimedSince: undefined,
      heardAt: monotonicMs(),
    };
    this.#members.set(member.workerId, member);
    worker.child.once('exit', () => {
      // It gets no more; its last message decides whose the connection on its way is.
      member.isLeaving = true;
      this.#unfree(member);
      setTimeout(() => this.drop(member.workerId), LINGER_MS).unref();
    });
    const isAccepting = policy === 'shared' && typeof address === 'object';
    const keep = isAccepting && this.#kept === undefined;
    const handle = isAccepting ? (this.#kept ?? this.#server) : undefined;
    tell(worker.child, { kind: 'listening', address, keep }, handle);
    this.#free.push(member);
    this.#pump();
  }

  /** Keeps the listening socket without accepting: from now on only workers accept. */
  #keep(handle: RawHandle | undefined): void {
    if (handle === undefined) return;
    if (this.#isClosed || this.#kept !== undefined || this.#members.size === 0) {
      handle.close();
      return;
    }
    this.#kept = handle;
    this.#server?.close();
    this.#server = undefined;
  }

  /** Accepts again when the last worker is gone. */
  #wake(): void {
    if (this.#isClosed || this.#kept === undefined || this.#members.size > 0) return;
    const kept = this.#kept;
    this.#kept = undefined;
    this.#open(kept).catch(() => {});
  }

  #accepted(socket: Socket): void {
    socket.on('error', () => {});
    if (this.#waiting.add(socket)) this.#pump();
  }

  get #sweepMs(): number {
    return Math.max(1, Math.min(SWEEP_MS, this.#options.waitMs / SWEEPS));
  }

  #pump(): void {
    this.#waiting.dropLate(monotonicMs(), LEAST_CLAIM_MS);
    while (this.#waiting.length > 0 && this.#free.length > 0) {
      const connection = this.#waiting.take();
      if (!connection.socket.destroyed) this.#handOver(this.#free.shift() as Member, connection);
    }
    if (this.waiting === 0) this.#emptied();
  }

  #handOver(member: Member, connection: WaitingConnection): void {
    const at = monotonicMs();
    // If it is not claimed, this process answers it, in time.
    const claimMs = Math.min(
      CLAIM_MS * 2 ** connection.attempts,
      this.#waiting.leftMs(connection, at),
    );
    this.#lastId += 1;
    const id = this.#lastId;
    connection.attempts += 1;
    member.handed = { id, at, until: at + claimMs, connection };
    const hand = fromPort({ kind: 'hand', id, before: at + CLAIM_SHARE * claimMs });
    // keepOpen: it stays open here, for another worker, until this one claims it.
    member.child.send(hand, connection.socket, { keepOpen: true }, (error) => {
      if (error === null || member.handed?.id !== id) return;
      // Its process ends, or it can take others.
      this.#takeBack(member);
      member.handed = undefined;
      setImmediate(() => this.#release(member));
    });
  }

  #answered(member: Member, id: number, isClaimed: boolean): void {
    const { handed } = member;
    if (handed?.id !== id) return;
    member.unclaimedSince = undefined;
    // This process's copy: the worker has its own.
    if (isClaimed) handed.connection?.socket.destroy();
    else this.#takeBack(member);
    member.handed = undefined;
    this.#release(member);
  }

  /** Lets a worker be handed another connection. */
  #release(member: Member): void {
    if (member.isLeaving) {
      if (member.child.connected) this.#remove(member);
    } else if (!member.isFull && !member.isRetired && this.#members.has(member.workerId)) {
      this.#free.push(member);
    }
    this.#pump();
  }

  #takeBack({ handed }: Member): void {
    if (handed?.connection === undefined) return;
    this.#waiting.putBack(handed.connection);
    delete handed.connection;
  }

  #unfree(member: Member): void {
    const index = this.#free.indexOf(member);
    if (index >= 0) this.#free.splice(index, 1);
  }

  #remove(member: Member): void {
    this.#unfree(member);
    this.#members.delete(member.workerId);
    this.#wake();
  }

  #sweep(): void {
    const now = monotonicMs();
    this.#waiting.dropLate(now, this.#sweepMs);
    for (const member of this.#members.values()) {
      if (member.isFull) {
        member.isFull = false;
        this.#release(member);
      }
      if (member.handed !== undefined && now >= member.handed.until) {
        const { id } = member.handed;
        // Timers run before arrived messages are read, and this process may have been stopped meanwhile.
        setImmediate(() => setImmediate(() => this.#overdue(member, id)));
      }
      this.#replaceIfWedged(member, now);
    }
  }

  /** Gives the connection to another worker; this one gets none until it answers. */
  #overdue(member: Member, id: number): void {
    const { handed } = member;
    if (handed?.id !== id || handed.until === Number.POSITIVE_INFINITY) return;
    handed.until = Number.POSITIVE_INFINITY;
    member.unclaimedSince ??= handed.at;
    this.#takeBack(member);
    tell(member.child, { kind: 'ping', id });
    this.#pump();
  }

  /** A busy worker is silent; one that is alive and claims nothing can no longer receive handles. */
  #replaceIfWedged(member: Member, now: number): void {
    const { unclaimedSince = now, heardAt, isWedged } = member;
    const { claimTimeoutMs } = this.#options;
    if (isWedged || now - unclaimedSince < claimTimeoutMs) return;
    if (heardAt - unclaimedSince < claimTimeoutMs / 2) return;
    member.isWedged = true;
    this.wedged += 1;
    tell(member.child, { kind: 'replace' });
  }
}

function tell(child: ChildProcess, message: FromPort, handle?: net.Server | RawHandle): void {
  // The event of a closed channel follows.
  child.send(fromPort(message), handle as net.Server | undefined, {}, () => {});
}
