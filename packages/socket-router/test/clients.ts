import { once } from 'node:events';
import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';

/** Answer of `workers/http-worker.mjs` to a request. */
export interface WorkerReply {
  readonly pid: number;
  /** `WorkerHandle.stats()` of the worker. */
  readonly stats: unknown;
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly httpVersion: string;
  readonly remoteAddress: string;
  readonly remotePort: number;
  readonly bytes: number;
  /** Bounds on the machine's monotonic clock; null when the worker does not know them. */
  readonly arrived: { readonly earliest: number; readonly latest: number } | null;
  readonly md5: string;
}

export interface Ask {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  readonly agent?: Agent;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Sends a request with Node's own client, on a connection of its own unless there is an agent. */
export async function ask(port: number, options: Ask = {}): Promise<Answer> {
  const { path = '/', method = 'GET', headers = {}, body, agent } = options;
  const asked = request({
    host: '127.0.0.1',
    port,
    path,
    method,
    headers: agent === undefined ? { connection: 'close', ...headers } : headers,
    agent: agent ?? false,
  });
  asked.end(body);
  const [response] = await once(asked, 'response');
  return { status: response.statusCode, headers: response.headers, text: await text(response) };
}

export async function askWorker(port: number, options?: Ask): Promise<WorkerReply> {
  return JSON.parse((await ask(port, options)).text);
}

/** An agent with one connection. */
export function oneConnection(): Agent {
  return new Agent({ keepAlive: true, maxSockets: 1 });
}

export async function open(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
  await once(socket, 'connect');
  return socket;
}

/** Resolves with all that comes until the other side ends. */
export async function received(socket: Socket): Promise<string> {
  const all = await text(socket);
  socket.destroy();
  return all;
}

/** Sends bytes on a connection of their own, and resolves with all that comes back. */
export async function exchange(port: number, bytes: string | Buffer): Promise<string> {
  const socket = await open(port);
  socket.write(bytes);
  return received(socket);
}

/** Returns the body of an answer that came with a length. */
export function workerReplyIn(answer: string): WorkerReply {
  return JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4));
}
