import type { Agent, ClientRequest, IncomingMessage } from 'node:http';

// Not imported: docs/discoveries/what-an-import-of-node-http-loads.md
const http = process.getBuiltinModule('node:http');

/** Methods whose requests Node sends without a body unless their headers announce one. */
const BODILESS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE']);

export interface WorkerRequest {
  readonly request: IncomingMessage;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  /** Connections to the worker; `false`: one of its own. */
  readonly agent: Agent | false;
  /** The worker's unix socket. */
  readonly socketPath: string;
  /** Longest head of an answer; Node's own limit if `undefined`. */
  readonly answerHeadBytes: number | undefined;
}

/**
 * Creates a request to a worker, with the method and the target of the client's, and with these headers and no others.
 *
 * @throws the platform's TypeError for a request that Node does not send
 */
export function createWorkerRequest(options: WorkerRequest): ClientRequest {
  const { request, headers, agent, socketPath, answerHeadBytes } = options;
  const { method = 'GET', url: path = '/' } = request;
  const target = {
    agent,
    socketPath,
    method,
    path,
    ...(answerHeadBytes !== undefined && { maxHeaderSize: answerHeadBytes }),
  };
  if (BODILESS.has(method) || announcesBody(request)) {
    return http.request({ ...target, headers });
  }
  // With a list of headers Node would write at once that a body in chunks follows, RFC 9112 6.
  const outgoing = http.request({ ...target, setHost: false });
  outgoing.useChunkedEncodingByDefault = false;
  for (let index = 0; index < headers.length; index += 2) {
    outgoing.appendHeader(headers[index] as string, headers[index + 1] as string);
  }
  return outgoing;
}

function announcesBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}
