// The queue: over HTTP here; an adapter of SQS, RabbitMQ or Redis Streams has the same four functions.

/** An order that waits for its invoice. */
export interface Message {
  readonly id: string;
  readonly customer: string;
  readonly lines: readonly { readonly cents: number; readonly count: number }[];
  /** How often the message was delivered before. */
  readonly redelivered: number;
}

export interface Queue {
  /** Reads messages until the signal aborts; the reader decides when the next one is read. */
  messages(signal: AbortSignal): AsyncIterable<Message>;
  /** The message is done with. */
  ack(message: Message): Promise<void>;
  /** The message is to be delivered again. */
  nack(message: Message): Promise<void>;
  /** The message will never succeed: it goes to where someone looks at it. */
  bury(message: Message, reason: string): Promise<void>;
}

export function createHttpQueue(url: string): Queue {
  async function post(path: string, body: unknown = {}, signal?: AbortSignal) {
    const response = await fetch(new URL(path, url), {
      method: 'POST',
      body: JSON.stringify(body),
      signal: signal ?? null,
    });
    if (!response.ok) throw new Error(`The queue answered ${path} with ${response.status}`);
    return response.json();
  }
  return {
    async *messages(signal) {
      while (!signal.aborted) {
        const received = post('/receive', { max: 1 }, signal) as Promise<readonly Message[]>;
        yield* await received.catch((error: unknown) => {
          if (signal.aborted) return [];
          throw error;
        });
      }
    },
    ack: async ({ id }) => void (await post(`/ack/${id}`)),
    nack: async ({ id }) => void (await post(`/nack/${id}`)),
    bury: async ({ id }, reason) => void (await post(`/bury/${id}`, { reason })),
  };
}
