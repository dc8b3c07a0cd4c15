import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import net, { type Socket } from 'node:net';
import { publishWedged } from '../cluster-channels.ts';
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
/** Share of `CLAIM_MS` in which the worker may claim, so that its claim arrives in time. */
const CLAIM_SHARE = 0.75;
/** Longest time between two sweeps of waiting connections; a short limit has `SWEEPS` sweeps within its time. */
const SWEEP_MS = 250;
const SWEEPS = 8;
/** Least time for a worker to claim a connection: with less time left it is not handed over. */
const LEAST_CLAIM_MS = 20;
/** Milliseconds in which the last messages of an ended process arrive. */
const LINGER_MS = 500;

/** Options of a port: its address, policy and limits. */
export interface HeldPortOptions {
  /** Name of the cluster. */
  readonly name: string;
  readonly listen: PortOptions;
  /** Scheduling policy. `shared`: workers accept by themselves. */
  readonly policy: 'round-robin' | 'shared';
  /** Most connections that wait for a worker; the next one is closed. */
  readonly maxWaiting: number;
  /** Milliseconds from the arrival of a connection within which it is answered with 503 if it still waits. */
  readonly waitMs: number;
  /** Milliseconds without a claim after which a live worker is replaced. */
  readonly claimTimeoutMs: number;
}

/** A worker that serves this port. */
interface Member {
  readonly workerId: number;
  readonly child: ChildProcess;
  /** Connection handed over to it; without `connection` after another worker gets that. */
  handed: { id: number; at: number; until: number; connection?: WaitingConnection } | undefined;
  /** True if the worker's server has `maxConnections`. */
  isFull: boolean;
  isLeaving: boolean;
  /** True if the worker's successor serves. */
  isRetired: boolean;
  isWedged: boolean;
  /** Time of the first connection in a row that it did not claim. */
  unclaimedSince: number | undefined;
  heardAt: number;
}

/** Raw handle of a listening socket, as Node delivers it. */
type RawHandle = { close(): void };

/**
 * Port that the primary owns, so that it stays open without workers. In round robin the primary accepts, and hands each
 * worker one connection at a time to claim; an unclaimed one goes to another worker. With a shared socket workers accept, and
 * the primary accepts only while there is no worker.
 */
export class HeldPort {
  readonly #options: HeldPortOptions;
  readonly #members = new Map<number, Member>();
  readonly #free: Member[] = [];
  readonly #waiting: WaitingConnections;
  /** Server that accepts connections; `undefined` while only workers accept. */
  #server: net.Server | undefined;
  #kept: RawHandle | undefined;
  #opened: Promise<PortAddress | null> | undefined;
  #sweeper: NodeJS.Timeout | undefined;
  #lastId = 0;
  #isClosed = false;
  #emptied: () => void = () => {};
  /** Workers replaced because they claimed nothing. */
  wedged = 0;

  constructor(options: HeldPortOptions) {
    this.#options = options;
    this.#waiting = new WaitingConnections(options);
  }

  /** Connections closed because too many waited, or refused because they waited too long. */
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
      // The worker has read a later message but no connection: the handle of the connection was lost.
      member.handed = undefined;
      this.#release(member);
    } else if (message.kind === 'quit') {
      member.isLeaving = true;
      // This message follows any connection on its way: after it the worker has all that it will get.
      tell(member.child, { kind: 'quitted' });
      if (member.handed === undefined) this.#remove(member);
    }
  }

  /** Stops handing connections to a worker whose successor serves. */
  retire(workerId: number): void {
    const member = this.#members.get(workerId);
    if (member === undefined) return;
    member.isRetired = true;
    this.#unfree(member);
  }

  /** Notes a sign of life of a worker: a message that is not about the port. */
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
    // Errors mean that descriptors have run out: connections wait in the queue of the system then.
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
      // The worker gets no further connection; its last message decides whether it has claimed the one on its way.
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
    // This process answers an unclaimed connection, and needs its own part of the time.
    const claimMs = Math.min(
      CLAIM_MS * 2 ** connection.attempts,
      this.#waiting.leftMs(connection, at),
    );
    this.#lastId += 1;
    const id = this.#lastId;
    connection.attempts += 1;
    member.handed = { id, at, until: at + claimMs, connection };
    const hand = fromPort({ kind: 'hand', id, before: at + CLAIM_SHARE * claimMs });
    // With keepOpen the connection stays open here, for another worker, until this one claims it.
    member.child.send(hand, connection.socket, { keepOpen: true }, (error) => {
      if (error === null || member.handed?.id !== id) return;
      // The worker ends, or can still take other connections.
      this.#takeBack(member);
      member.handed = undefined;
      setImmediate(() => this.#release(member));
    });
  }

  #answered(member: Member, id: number, isClaimed: boolean): void {
    const { handed } = member;
    if (handed?.id !== id) return;
    member.unclaimedSince = undefined;
    // Only the copy of this process is closed: the worker has its own.
    if (isClaimed) handed.connection?.socket.destroy();
    else this.#takeBack(member);
    member.handed = undefined;
    this.#release(member);
  }

  /** Makes a worker free for another connection. */
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
        // Timers run before arrived messages are read, and this process may have been stopped for a while.
        setImmediate(() => setImmediate(() => this.#overdue(member, id)));
      }
      this.#replaceIfWedged(member, now);
    }
  }

  /** Gives an unclaimed connection to another worker; this worker gets none until it answers. */
  #overdue(member: Member, id: number): void {
    const { handed } = member;
    if (handed?.id !== id || handed.until === Number.POSITIVE_INFINITY) return;
    handed.until = Number.POSITIVE_INFINITY;
    member.unclaimedSince ??= handed.at;
    this.#takeBack(member);
    tell(member.child, { kind: 'ping', id });
    this.#pump();
  }

  /** Replaces a worker that can no longer receive handles: it is alive and claims nothing, whereas a busy one is silent. */
  #replaceIfWedged(member: Member, now: number): void {
    const { unclaimedSince = now, heardAt, isWedged } = member;
    const { claimTimeoutMs } = this.#options;
    if (isWedged || now - unclaimedSince < claimTimeoutMs) return;
    if (heardAt - unclaimedSince < claimTimeoutMs / 2) return;
    member.isWedged = true;
    this.wedged += 1;
    publishWedged({ name: this.#options.name, workerId: member.workerId });
    tell(member.child, { kind: 'replace' });
  }
}

function tell(child: ChildProcess, message: FromPort, handle?: net.Server | RawHandle): void {
  // Errors are ignored: the event of a closed channel follows.
  child.send(fromPort(message), handle as net.Server | undefined, {}, () => {});
}
