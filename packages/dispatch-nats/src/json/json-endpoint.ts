import { headers, type MsgHdrs } from '@nats-io/transport-node';
import { DispatchError } from '@ticketing/dispatch';
import { texts, wrongOption } from '@ticketing/kit';
import type {
  NatsJsonEndpoint,
  NatsJsonOptions,
  NatsJsonStats,
} from '../contract/json-endpoint.ts';
import type { NatsLike, NatsMessage } from '../contract/nats-like.ts';
import { announceMicroService, type MicroEndpoint, type MicroService } from './micro-service.ts';
import { Refusal, readRequest } from './read-request.ts';

const QUEUE_GROUP = 'hosts';
const LONGEST_HEADER = 256;
/** Beginning of the subjects of fleets: an answer there would be a message of this host. */
const OWN_SUBJECTS = 'tt.';

/** Codes of the micro protocol by error, like the codes of HTTP; all other errors are 500. After a 503 the caller may try again. */
const statuses: Readonly<Record<string, number>> = {
  ERR_CIRCUIT_OPEN: 503,
  ERR_CLOSED: 503,
  ERR_DRAINING: 503,
  ERR_NO_HOST: 503,
  ERR_OVERLOADED: 503,
  ERR_QUEUE_FULL: 503,
  ERR_QUEUE_TIMEOUT: 503,
  ERR_RUN_TIMEOUT: 408,
  ERR_TIMEOUT: 408,
  ERR_TOO_LARGE: 413,
  ERR_UNKNOWN_TASK: 404,
};

/** Rule for names of tasks: without wildcards and spaces, which NATS gives another meaning. */
const taskNames = {
  expected: 'names of letters, digits, _, - and dots between them, because `json` is used',
  test: (value: unknown) =>
    texts.test(value) && (value as string[]).every((task) => /^[\w-]+(\.[\w-]+)*$/.test(task)),
};

/**
 * Serves tasks to callers of any language: one JSON request, one JSON reply, on `tt.<fleet>.t.<task>`. Give it to `serveNatsTasks`
 * as `json`. The hosts of a fleet form a queue group: NATS gives each request to one of them, busy or not. A request for a task
 * that no host has gets the answer of NATS, *no responders*. Answers `$SRV.PING`, `INFO` and `STATS`. Progress is not reported.
 *
 * @throws TypeError for a task whose name cannot be part of a subject
 * @example
 * import { serveJson } from '@ticketing/dispatch-nats/json';
 * const host = serveNatsTasks({ nats, fleet: 'shop', dispatcher, tasks: ['sum'], json: serveJson });
 */
export function serveJson(options: NatsJsonOptions): NatsJsonEndpoint {
  const { tasks } = options;
  if (!taskNames.test(tasks)) throw wrongOption('serve NATS tasks', 'tasks', taskNames, tasks);
  return new Endpoint(options);
}

type Connection = Parameters<NatsJsonEndpoint['connected']>[0];

function announce({ fleet, host, tasks }: NatsJsonOptions, nats: Connection): MicroService {
  const { id, zone, revision } = host;
  return announceMicroService({
    nats,
    name: `ticketing-${fleet}`,
    // The micro protocol allows no dot in an id.
    id: id.replaceAll('.', '-'),
    version: revision !== undefined && /^\d+\.\d+\.\d+$/.test(revision) ? revision : '0.0.0',
    description: `Tasks of the fleet ${fleet}`,
    metadata: {
      fleet,
      ...(zone !== undefined && { zone }),
      ...(revision !== undefined && { revision }),
    },
    endpoints: tasks.map((task) => ({
      name: task.replaceAll('.', '-'),
      subject: `tt.${fleet}.t.${task}`,
      queueGroup: QUEUE_GROUP,
    })),
  });
}

/** A request in progress. */
interface Running {
  readonly message: NatsMessage;
  readonly aborter: AbortController;
}

/** Subscriptions on one connection; the client renews them after a break. */
interface Served {
  readonly nats: Connection;
  readonly service: MicroService;
  readonly subscriptions: ReturnType<NatsLike['subscribe']>[];
}

class Endpoint implements NatsJsonEndpoint {
  readonly #options: NatsJsonOptions;
  #served: Served | undefined;
  /** Connection for answers; undefined while there is none. */
  #nats: Connection | undefined;
  #takesRequests = true;
  readonly #running = new Set<Running>();
  readonly #denied = new Set<string>();
  readonly #idle: (() => void)[] = [];
  /** Answers that wait for the connection: at most `capacity`, because their requests were in progress when it was lost. */
  readonly #unsent: ((nats: Connection) => void)[] = [];
  readonly #counts = { completed: 0, failed: 0, busy: 0, ignored: 0 };

  constructor(options: NatsJsonOptions) {
    this.#options = options;
  }

  #serveOn(nats: Connection): Served {
    const service = announce(this.#options, nats);
    const subscriptions = this.#options.tasks.map((task, index) => {
      const endpoint = service.endpoints[index] as MicroEndpoint;
      return nats.subscribe(endpoint.subject, {
        queue: QUEUE_GROUP,
        callback: (error, message) => {
          if (error === null) void this.#serve(task, endpoint, message);
          else this.#denied.add(endpoint.subject);
        },
      });
    });
    return { nats, service, subscriptions };
  }

  stats(): NatsJsonStats {
    return { ...this.#counts, running: this.#running.size, denied: [...this.#denied] };
  }

  connected(nats: Connection): void {
    this.#nats = nats;
    if (this.#takesRequests && nats !== this.#served?.nats) this.#served = this.#serveOn(nats);
    for (const send of this.#unsent.splice(0)) send(nats);
  }

  disconnected(): void {
    this.#nats = undefined;
    this.#abort('Cannot finish: the host has lost its connection to NATS');
  }

  async drain(): Promise<void> {
    this.#takesRequests = false;
    const draining = this.#served?.subscriptions.splice(0).map((each) => each.drain());
    await Promise.allSettled(draining ?? []);
    await this.#untilIdle();
    this.#served?.service.close();
  }

  async close(): Promise<void> {
    this.#takesRequests = false;
    for (const subscription of this.#served?.subscriptions.splice(0) ?? []) {
      subscription.unsubscribe();
    }
    this.#served?.service.close();
    this.#abort('Cannot finish: the host is closing');
    await this.#untilIdle();
  }

  #abort(why: string): void {
    for (const { aborter } of this.#running) aborter.abort(new Refusal(503, why));
  }

  #untilIdle(): Promise<void> {
    if (this.#running.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  /** Serves one request. Never rejects. */
  async #serve(task: string, endpoint: MicroEndpoint, message: NatsMessage): Promise<void> {
    if (!message.reply || message.reply.startsWith(OWN_SUBJECTS)) {
      this.#counts.ignored += 1;
      return;
    }
    const { capacity, clock } = this.#options;
    const began = clock.now();
    const running: Running = { message, aborter: new AbortController() };
    try {
      if (this.#running.size >= capacity) {
        throw new Refusal(
          503,
          `Host cannot run \`${task}\`: \`capacity\` (${capacity}) requests run; try again`,
        );
      }
      this.#running.add(running);
      const bytes = await this.#run(task, running);
      this.#counts.completed += 1;
      endpoint.count(clock.now() - began);
      this.#send(message, bytes);
    } catch (error) {
      this.#refuse(message, endpoint, clock.now() - began, error);
    }
    this.#running.delete(running);
    if (this.#running.size > 0) return;
    for (const resolve of this.#idle.splice(0)) resolve();
  }

  async #run(task: string, { message, aborter }: Running): Promise<Uint8Array> {
    const { run, maxMessageBytes } = this.#options;
    const { input, timeoutMs, metadata } = readRequest(message, maxMessageBytes);
    const value = await run(task, input, { signal: aborter.signal, timeoutMs, metadata });
    const bytes = writeAnswer(task, value);
    const most = this.#mostBytes;
    if (bytes.byteLength <= most) return bytes;
    const size = `${bytes.byteLength} bytes exceed \`max_payload\` of the server (${most})`;
    throw new DispatchError('ERR_TOO_LARGE', `Result of task \`${task}\` is too large: ${size}`, {
      data: { name: this.#options.host.id, task, limit: most },
    });
  }

  #refuse(message: NatsMessage, endpoint: MicroEndpoint, runMs: number, error: unknown): void {
    const { status, name, text, code } = describe(error);
    if (status === 503) this.#counts.busy += 1;
    else this.#counts.failed += 1;
    endpoint.count(runMs, text);
    const head = headers();
    head.set('Nats-Service-Error', text);
    head.set('Nats-Service-Error-Code', String(status));
    const body = JSON.stringify({ error: { name, message: text, code } });
    this.#send(message, Buffer.from(body), head);
  }

  /** Most bytes of an answer. The server counts headers too, and a result has none. */
  get #mostBytes(): number {
    return this.#served?.nats.info?.max_payload ?? Number.POSITIVE_INFINITY;
  }

  /** Sends an answer, later if there is no connection: NATS would drop it without an error. */
  #send({ reply = '' }: NatsMessage, bytes: Uint8Array, head?: MsgHdrs): void {
    const send = (nats: Connection): void => {
      // An error that is too large goes without its body: the headers have all that a caller needs.
      const fits = head === undefined || bytes.byteLength + bytesOf(head) <= this.#mostBytes;
      try {
        nats.publish(reply, fits ? bytes : NOTHING, head && { headers: head });
      } catch {
        // The connection is closed or draining: NATS drops the request, and its caller meets its own timeout.
      }
    };
    if (this.#nats !== undefined) send(this.#nats);
    else if (this.#unsent.length < this.#options.capacity) this.#unsent.push(send);
  }
}

const NOTHING = new Uint8Array(0);

/** Returns the bytes of an answer's headers, as the client writes them. */
function bytesOf(head: MsgHdrs): number {
  let bytes = Buffer.byteLength('NATS/1.0\r\n\r\n');
  for (const name of head.keys()) {
    for (const value of head.values(name)) bytes += Buffer.byteLength(`${name}: ${value}\r\n`);
  }
  return bytes;
}

/** Returns a result as JSON; raw JSON is a Buffer already, and stays unchanged. */
function writeAnswer(task: string, value: unknown): Uint8Array {
  if (value instanceof Uint8Array) return value;
  try {
    return Buffer.from(JSON.stringify(value ?? null) ?? 'null');
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : '';
    throw new Refusal(500, `Result of task \`${task}\` is not JSON: ${why}`, { cause });
  }
}

/** Returns the public facts of an error: no stack, no own properties. Never throws. */
function describe(error: unknown): { status: number; name: string; text: string; code?: string } {
  try {
    if (error instanceof Refusal) {
      return { status: error.status, name: 'Error', text: oneLine(error.message) };
    }
    const { name, message, code } = Object(error) as Partial<Error & { code: unknown }>;
    const isCode = typeof code === 'string' && code.length <= LONGEST_HEADER;
    const known = DispatchError.is(error) && Object.hasOwn(statuses, error.code);
    return {
      status: known ? (statuses[error.code] as number) : 500,
      name: typeof name === 'string' ? oneLine(name) : 'Error',
      text: oneLine(typeof message === 'string' ? message : String(error)),
      ...(isCode && { code }),
    };
  } catch {
    return { status: 500, name: 'Error', text: 'The task threw what cannot be read' };
  }
}

/** Returns a text as one line, for a header. */
function oneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
  return text.slice(0, LONGEST_HEADER).replace(/[\u0000-\u001f\u007f]+/g, ' ') || 'Error';
}
