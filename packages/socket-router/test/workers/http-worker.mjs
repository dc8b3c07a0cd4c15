// An HTTP server that tells who answers and what it got, and keeps a journal of all requests if it has a file for it.
import { createHash } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { arrivedAt, attachWorker } from '@ticketing/socket-router';

const journal = process.env.JOURNAL;
const route =
  process.env.ROUTE === 'key' ? (head) => ({ key: head.header?.('x-key') ?? '' }) : undefined;

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  const [seconds, nanoseconds] = process.hrtime();
  const monotonicMs = seconds * 1000 + nanoseconds / 1e6;
  if (journal) appendFileSync(journal, `${process.pid} ${request.url}\n`);
  const waitedMs = performance.now() - arrivedAt(request);
  const hash = createHash('md5');
  let bytes = 0;
  request.on('data', (chunk) => {
    bytes += chunk.length;
    hash.update(chunk);
  });
  request.on('end', () => {
    const { method, url, headers, httpVersion, socket } = request;
    const answer = {
      pid: process.pid,
      method,
      url,
      headers,
      httpVersion,
      remoteAddress: socket.remoteAddress,
      remotePort: socket.remotePort,
      bytes,
      // On the clock that all processes of the machine share; null when it is not known.
      arrivedAt: monotonicMs - waitedMs,
      md5: hash.digest('hex'),
    };
    const send = () => {
      const body = JSON.stringify(answer);
      response.writeHead(200, {
        'content-type': 'application/json',
        'content-length': body.length,
      });
      response.end(body);
    };
    const { pathname, searchParams } = new URL(url, 'http://worker');
    if (pathname === '/later') setTimeout(send, Number(searchParams.get('ms')));
    else if (pathname === '/never') response.flushHeaders();
    else if (pathname === '/bytes') {
      response.setHeader('x-twice', ['one', 'two']);
      response.end(Buffer.alloc(Number(searchParams.get('count')), 'x'));
    } else if (pathname === '/block') {
      const end = performance.now() + Number(searchParams.get('ms'));
      while (performance.now() < end);
      send();
    } else if (pathname === '/exit') process.exit(1);
    else if (pathname === '/break') response.destroy();
    else if (pathname === '/cut') {
      response.writeHead(200, { 'content-length': 100 });
      response.write('short', () => response.destroy());
    } else send();
  });
});
const handle = attachWorker(server, { route, orphanGraceMs: 500 });
const lameDuckMs = Number(process.env.LAME_DUCK_MS ?? 100);
process.on('SIGUSR2', () => handle.close({ graceMs: 2000, lameDuckMs }).then(() => process.exit()));
