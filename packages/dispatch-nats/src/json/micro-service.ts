import type { NatsLike } from '../contract/nats-like.ts';

/** Description of a service of the NATS micro protocol. */
export interface MicroServiceOptions {
  readonly nats: Pick<NatsLike, 'publish' | 'subscribe'>;
  /** Name of letters, digits, `-` and `_`. */
  readonly name: string;
  /** Id of this instance, of letters, digits, `-` and `_`. */
  readonly id: string;
  /** A semantic version. */
  readonly version: string;
  readonly description: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly endpoints: readonly Pick<MicroEndpoint, 'name' | 'subject' | 'queueGroup'>[];
}

/** Counter of one endpoint of a service. */
export interface MicroEndpoint {
  readonly name: string;
  readonly subject: string;
  readonly queueGroup: string;
  /** Counts a request that took `runMs`, with the message of its error. */
  count(runMs: number, error?: string): void;
}

/** A service that answers `PING`, `INFO` and `STATS`. */
export interface MicroService {
  /** Endpoints in the order of the options. */
  readonly endpoints: readonly MicroEndpoint[];
  /** Ends the subscriptions. Idempotent. */
  close(): void;
}

/**
 * Answers `$SRV.PING`, `$SRV.INFO` and `$SRV.STATS`, each also with the service's name, and with its name and id; `nats micro ls`,
 * `info` and `stats` show these answers. The caller subscribes to the endpoints.
 */
export function announceMicroService(options: MicroServiceOptions): MicroService {
  const { nats, name, id, version, description, metadata } = options;
  const started = new Date().toISOString();
  const endpoints = options.endpoints.map((endpoint) => new CountedEndpoint(endpoint));
  const head = { name, id, version, metadata };
  const answers: Readonly<Record<string, () => unknown>> = {
    PING: () => ({ type: 'io.nats.micro.v1.ping_response', ...head }),
    INFO: () => ({
      type: 'io.nats.micro.v1.info_response',
      ...head,
      description,
      endpoints: endpoints.map((each) => each.info()),
    }),
    STATS: () => ({
      type: 'io.nats.micro.v1.stats_response',
      ...head,
      started,
      endpoints: endpoints.map((each) => each.stats()),
    }),
  };
  const subscriptions: ReturnType<NatsLike['subscribe']>[] = [];
  for (const [verb, answer] of Object.entries(answers)) {
    for (const subject of [`$SRV.${verb}`, `$SRV.${verb}.${name}`, `$SRV.${verb}.${name}.${id}`]) {
      const subscription = nats.subscribe(subject, {
        callback: (error, message) => {
          // An error means no permission to subscribe: tasks go on without these answers.
          if (error !== null || !message.reply || message.reply.startsWith('tt.')) return;
          try {
            nats.publish(message.reply, Buffer.from(JSON.stringify(answer())));
          } catch {
            // The connection is closing, or the answer of so many endpoints is too large for the server. A callback that throws
            // would stop the client from reading.
          }
        },
      });
      subscriptions.push(subscription);
    }
  }
  return {
    endpoints,
    close() {
      for (const subscription of subscriptions.splice(0)) subscription.unsubscribe();
    },
  };
}

const NANOSECONDS = 1e6;

class CountedEndpoint implements MicroEndpoint {
  readonly name: string;
  readonly subject: string;
  readonly queueGroup: string;
  #requests = 0;
  #errors = 0;
  #lastError: string | undefined;
  #nanoseconds = 0;

  constructor({ name, subject, queueGroup }: MicroServiceOptions['endpoints'][number]) {
    this.name = name;
    this.subject = subject;
    this.queueGroup = queueGroup;
  }

  count(runMs: number, error?: string): void {
    this.#requests += 1;
    this.#nanoseconds += Math.round(runMs * NANOSECONDS);
    if (error === undefined) return;
    this.#errors += 1;
    this.#lastError = error;
  }

  info(): unknown {
    return { name: this.name, subject: this.subject, queue_group: this.queueGroup };
  }

  stats(): unknown {
    const requests = this.#requests;
    return {
      name: this.name,
      subject: this.subject,
      queue_group: this.queueGroup,
      num_requests: requests,
      num_errors: this.#errors,
      last_error: this.#lastError,
      processing_time: this.#nanoseconds,
      average_processing_time: requests === 0 ? 0 : Math.round(this.#nanoseconds / requests),
    };
  }
}
