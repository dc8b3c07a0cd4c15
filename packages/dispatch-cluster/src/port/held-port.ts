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

/** How long a worker has to claim a connection at first, in milliseconds; twice as long at each further attempt. */
const CLAIM_MS = 1000;
/** The part of that time in which the worker may claim, so that its claim arrives before the end. */
const CLAIM_SHARE = 0.75;
const SWEEP_MS = 250;
/** Milliseconds for the last messages of a process that has ended. */
const LINGER_MS = 500;

export interface HeldPortOptions {
  readonly listen: PortOptions;
  /** `shared`: workers accept by themselves. */
  readonly policy: 'round-robin' | 'shared';
  /** Connections that wait for a worker, at most; the next one is closed. */
  readonly maxWaiting: number;
  /** Milliseconds that a connection waits for a worker at most; then it is closed. */
  readonly waitMs: number;
  /** Milliseconds without a claim after which a worker that answers otherwise is replaced. */
  readonly claimTimeoutMs: number;
}

/** A worker that serves this port. */
interface Member {
  readonly workerId: number;
  readonly child: ChildProcess;
  /** On its way to the worker; without a connection once that has gone to another. */
  given: { id: number; at: number; until: number; connection?: WaitingConnection } | undefined;
  /** It has as many connections as its server allows. */
  isFull: boolean;
  isLeaving: boolean;
  /** Its successor is there. */
  isRetired: boolean;
  isWedged: boolean;
  /** Since when it has claimed nothing of what it was handed; undefined while all is well. */
  untakenSince: number | undefined;
  heardAt: number;
}

/** The raw handle of a listening socket, which Node gives a process that is sent one. */
type RawHandle = { close(): void };

/**
 * A port that the primary owns, so that it stays open without workers. In round robin the primary accepts and hands over one
 * connection at a time per worker, which claims it; unclaimed ones go to another worker. With a shared socket workers accept, and
 * the primary only while there is none.
 */
export class HeldPort {
  readonly #options: HeldPortOptions;
  readonly #members = new Map<number, Member>();
  readonly #free: Member[] = [];
  readonly #waiting: WaitingConnections;
  /** Accepts. Undefined while workers do that alone, and after the end. */
  #server: net.Server | undefined;
  #kept: RawHandle | undefined;
  #opened: Promise<PortAddress | null> | undefined;
  #sweeper: NodeJS.Timeout | undefined;
  #lastId = 0;
  #isClosed = false;
  #emptied: () => void = () => {};
  /** Workers that were told to have themselves replaced. */
  wedged = 0;

  constructor(options: HeldPortOptions) {
    this.#options = options;
    this.#waiting = new WaitingConnections(options);
  }

  /** Connections that were closed because too many waited, or because they had waited too long. */
  get dropped(): number {
    return this.#waiting.dropped;
  }

  get waiting(): number {
    let { length } = this.#waiting;
    for (const member of this.#members.values()) if (member.given?.connection) length += 1;
    return length;
  }

  get isDeserted(): boolean {
    return this.#members.size === 0;
  }

  /** Has a worker serve the port, which is opened for the first one. */
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

  /** What a worker says. `handle`: what came with it. */
  hear(workerId: number, message: ToPort, handle: unknown): void {
    const member = this.#members.get(workerId);
    if (message.kind === 'keep') this.#keep(handle as RawHandle | undefined);
    if (member === undefined) return;
    member.heardAt = monotonicMs();
    if (message.kind === 'claim') this.#answered(member, message.id, true);
    else if (message.kind === 'decline') {
      member.isFull = message.why === 'full';
      this.#answered(member, message.id, false);
    } else if (message.kind === 'pong') this.#lost(member, message.id);
    else if (message.kind === 'quit') {
      member.isLeaving = true;
      // Behind the connection that may be on its way: the worker has then seen all that it will get.
      tell(member.child, { kind: 'quitted' });
      if (member.given === undefined) this.#remove(member);
    }
  }

  /** Another has taken its place: connections that come from now on are not its. */
  retire(workerId: number): void {
    const member = this.#members.get(workerId);
    if (member === undefined) return;
    member.isRetired = true;
    this.#unfree(member);
  }

  /** The worker has said something else: it is alive. */
  heard(workerId: number): void {
    const member = this.#members.get(workerId);
    if (member !== undefined) member.heardAt = monotonicMs();
  }

  /** The process has ended, and its last message was read. */
  drop(workerId: number): void {
    const member = this.#members.get(workerId);
    if (member === undefined) return;
    this.#remove(member);
    this.#takeBack(member);
    member.given = undefined;
    this.#pump();
  }

  /** Accepts no more. Resolves when each connection that waits was claimed, or after so many milliseconds. */
  async close(longestMs: number): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#server?.close();
    this.#kept?.close();
    this.#kept = undefined;
    if (this.waiting > 0 && this.#members.size > 0) {
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        this.#emptied = resolve;
        timer = setTimeout(resolve, longestMs);
      });
      clearTimeout(timer);
    }
    clearInterval(this.#sweeper);
    this.#waiting.clear();
    for (const { given } of this.#members.values()) given?.connection?.socket.destroy();
  }

  async #open(listen: object): Promise<PortAddress | null> {
    const server = net.createServer({ pauseOnConnect: true }, (socket) => this.#accepted(socket));
    server.listen(listen);
    await once(server, 'listening');
    // Out of descriptors: what could not be accepted waits in the system's queue.
    server.on('error', () => {});
    if (this.#isClosed) server.close();
    this.#server = server;
    this.#sweeper ??= setInterval(() => this.#sweep(), SWEEP_MS).unref();
    return server.address();
  }

  #welcome(worker: Pick<Member, 'workerId' | 'child'>, address: PortAddress | null): void {
    const { policy } = this.#options;
    const member: Member = {
      ...worker,
      given: undefined,
      isFull: false,
      isLeaving: false,
      isRetired: false,
      isWedged: false,
      untakenSince: undefined,
      heardAt: monotonicMs(),
    };
    this.#members.set(member.workerId, member);
    worker.child.once('exit', () => {
      // No more for it; what is on its way is known when its last message was read.
      member.isLeaving = true;
      this.#unfree(member);
      setTimeout(() => this.drop(member.workerId), LINGER_MS);
    });
    const isAccepting = policy === 'shared' && typeof address === 'object';
    const keep = isAccepting && this.#kept === undefined;
    const handle = isAccepting ? (this.#kept ?? this.#server) : undefined;
    tell(worker.child, { kind: 'listening', address, keep }, handle);
    this.#free.push(member);
    this.#pump();
  }

  /** From now on workers accept alone. */
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

  /** Accepts while no worker does. */
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

  #pump(): void {
    while (this.#waiting.length > 0 && this.#free.length > 0) {
      const connection = this.#waiting.take();
      if (!connection.socket.destroyed) this.#give(this.#free.shift() as Member, connection);
    }
    if (this.waiting === 0) this.#emptied();
  }

  #give(member: Member, connection: WaitingConnection): void {
    const at = monotonicMs();
    const claimMs = Math.min(CLAIM_MS * 2 ** connection.attempts, this.#options.waitMs);
    this.#lastId += 1;
    const id = this.#lastId;
    connection.attempts += 1;
    member.given = { id, at, until: at + claimMs, connection };
    const hand = fromPort({ kind: 'hand', id, before: at + CLAIM_SHARE * claimMs });
    // keepOpen: the connection is still ours, for another worker, until this one claims it.
    member.child.send(hand, connection.socket, { keepOpen: true }, (error) => {
      if (error === null || member.given?.id !== id) return;
      // The end of its process follows, or it takes others.
      this.#takeBack(member);
      member.given = undefined;
      setImmediate(() => this.#release(member));
    });
  }

  #answered(member: Member, id: number, isClaimed: boolean): void {
    const { given } = member;
    if (given?.id !== id) return;
    member.untakenSince = undefined;
    // Our copy: the worker has its own.
    if (isClaimed) given.connection?.socket.destroy();
    else this.#takeBack(member);
    member.given = undefined;
    this.#release(member);
  }

  /** The worker has read what came after a connection, and not the connection: its handle did not arrive. */
  #lost(member: Member, id: number): void {
    if (member.given?.id !== id) return;
    member.given = undefined;
    this.#release(member);
  }

  /** The worker may be handed another connection. */
  #release(member: Member): void {
    if (member.isLeaving) {
      if (member.child.connected) this.#remove(member);
    } else if (!member.isFull && !member.isRetired && this.#members.has(member.workerId)) {
      this.#free.push(member);
    }
    this.#pump();
  }

  #takeBack({ given }: Member): void {
    if (given?.connection === undefined) return;
    this.#waiting.putBack(given.connection);
    delete given.connection;
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
    this.#waiting.dropLate(now);
    for (const member of this.#members.values()) {
      if (member.isFull) {
        member.isFull = false;
        this.#release(member);
      }
      if (member.given !== undefined && now >= member.given.until) {
        const { id } = member.given;
        // Timers run before what has arrived is read, and it was this process that may have been stopped.
        setImmediate(() => setImmediate(() => this.#overdue(member, id)));
      }
      this.#replaceIfWedged(member, now);
    }
  }

  /** The connection goes to another worker; this one gets none until it has answered. */
  #overdue(member: Member, id: number): void {
    const { given } = member;
    if (given?.id !== id || given.until === Number.POSITIVE_INFINITY) return;
    given.until = Number.POSITIVE_INFINITY;
    member.untakenSince ??= given.at;
    this.#takeBack(member);
    tell(member.child, { kind: 'ping', id });
    this.#pump();
  }

  /** One that is busy says nothing; one that lives and claims nothing for so long has lost the way for handles. */
  #replaceIfWedged(member: Member, now: number): void {
    const { untakenSince = now, heardAt, isWedged } = member;
    const { claimTimeoutMs } = this.#options;
    if (isWedged || now - untakenSince < claimTimeoutMs) return;
    if (heardAt - untakenSince < claimTimeoutMs / 2) return;
    member.isWedged = true;
    this.wedged += 1;
    tell(member.child, { kind: 'replace' });
  }
}

function tell(child: ChildProcess, message: FromPort, handle?: net.Server | RawHandle): void {
  // A channel that is gone is told by its event.
  child.send(fromPort(message), handle as net.Server | undefined, {}, () => {});
}
