import { EventEmitter } from 'node:events';

type Reply = () => Promise<unknown>;

/** A client without a server: it records commands, and replies as a test says. */
export class FakeClient extends EventEmitter {
  status = 'ready';
  readonly isCluster: boolean;
  readonly options: object;
  /** Commands, with their arguments, in their order. */
  readonly sent: unknown[][] = [];
  /** Connections that were opened by `duplicate`, and the options they were given. */
  readonly duplicates: { readonly client: FakeClient; readonly override: unknown }[] = [];
  /** Replies by the name of the command; otherwise it is answered with `undefined`. */
  readonly replies: Record<string, Reply> = {};
  disconnects = 0;

  constructor({ isCluster = false, options = {} } = {}) {
    super();
    this.isCluster = isCluster;
    this.options = options;
  }

  /** Listeners, by event. */
  get listening(): Record<string, number> {
    return Object.fromEntries(
      this.eventNames().map((name) => [String(name), this.listenerCount(name)]),
    );
  }

  /** The commands since the last call. */
  take(): unknown[][] {
    return this.sent.splice(0);
  }

  readonly subscribe = this.#command('subscribe');
  readonly unsubscribe = this.#command('unsubscribe');
  readonly ssubscribe = this.#command('ssubscribe');
  readonly sunsubscribe = this.#command('sunsubscribe');
  readonly evalshaBuffer = this.#command('evalsha');
  readonly evalBuffer = this.#command('eval');

  duplicate(override?: object): FakeClient {
    const client = new FakeClient({ options: this.options });
    client.status = 'connecting';
    Object.assign(client.replies, this.replies);
    this.duplicates.push({ client, override });
    return client;
  }

  disconnect(): void {
    this.disconnects += 1;
    this.status = 'end';
  }

  #command(name: string): (...values: unknown[]) => Promise<unknown> {
    return (...values) => {
      this.sent.push([name, ...values]);
      return this.replies[name]?.() ?? Promise.resolve(undefined);
    };
  }
}
