import type { Socket } from 'node:net';

const answers: Readonly<Record<string, readonly [status: number, title: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'Request header fields too large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request timeout'],
};

/** Answers bytes that never became a request: problem+json by hand, since no route has seen them. */
export function sendClientError(error: { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, title] = answers[error.code ?? ''] ?? [400, 'Bad request'];
  const detail = `A request of HTTP/1.1 with a head of 16 KiB at most expected, got ${error.code}`;
  const body = JSON.stringify({ type: 'about:blank', title, status, detail });
  socket.end(
    `HTTP/1.1 ${status} ${title}\r\ncontent-type: application/problem+json\r\nconnection: close\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
