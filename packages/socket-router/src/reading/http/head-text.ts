import type { IncomingMessage } from 'node:http';

/** Writes the head of a message from its first line and its headers, as names and values in turn. */
export function headText(firstLine: string, rawHeaders: readonly string[]): string {
  let head = `${firstLine}\r\n`;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    head += `${rawHeaders[index]}: ${rawHeaders[index + 1]}\r\n`;
  }
  return `${head}\r\n`;
}

/** Writes the head of a parsed request as bytes again; spaces and tabs around values are lost. */
export function headBytesOf(request: IncomingMessage): Buffer {
  const { method, url, httpVersion, rawHeaders } = request;
  return Buffer.from(headText(`${method} ${url} HTTP/${httpVersion}`, rawHeaders), 'latin1');
}
