// An HTTP server that answers with its pid and the request, and writes all requests to a journal if it has a file for it.
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync } from 'node:fs';
import { arrivedAt, attachServer } from '@ticketing/socket-router';
import { serve } from './serve.mjs';

// Not imported: docs/discoveries/what-an-import-of-node-http-loads.md
const { createServer } = process.getBuiltinModule('node:http');

/** Whose wait blocks this process. */
const cell = new Int32Array(new SharedArrayBuffer(4));

/** On the clock that all processes of the machine share. */
function monotonicMs() {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}

/** Returns two times between which a request arrived, since clocks are read one after the other; null when unknown. */
function arrival(request) {
  const first = [monotonicMs(), performance.now()];
  const at = arrivedAt(request);
  const last = [monotonicMs(), performance.now()];
  if (at === undefined) return null;
  return { earliest: first[0] - (last[1] - at), latest: last[0] - (first[1] - at) };
}

const parent = process.ppid;
/** Called once the next answer has been sent. */
let afterAnswer;

const answerTo = (journal, stats) => (request, response) => {
  const arrived = arrival(request);
  if (journal) appendFileSync(journal, `${process.pid} ${request.url}\n`);
  if (request.url === '/early') {
    response.writeHead(413, { 'content-length': 0 }).end();
    request.socket.once('close', () => appendFileSync(journal, `${process.pid} /left\n`));
    return;
  }
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
      stats: stats(),
      arrived,
      md5: hash.digest('hex'),
    };
    const send = () => {
      const body = JSON.stringify(answer);
      response.writeHead(200, {
        'content-type': 'application/json',
        'content-length': body.length,
      });
      const next = afterAnswer;
      afterAnswer = undefined;
      response.end(body, next);
    };
    const { pathname, searchParams } = new URL(url, 'http://worker');
    if (pathname === '/later') setTimeout(send, Number(searchParams.get('ms')));
    else if (pathname === '/write') {
      // What fails of it is an event before the next turn.
      const write = () => process.stderr.write('late\n', () => setImmediate(send));
      const ms = searchParams.get('ms');
      if (ms === null) {
        // Before the end of the channel is an event of this process.
        afterAnswer = () => {
          while (process.ppid === parent) Atomics.wait(cell, 0, 0, 5);
          write();
        };
      } else setTimeout(write, Number(ms));
    } else if (pathname === '/never') response.flushHeaders();
    else if (pathname === '/bytes') {
      response.setHeader('x-twice', ['one', 'two']);
      response.end(Buffer.alloc(Number(searchParams.get('count')), 'x'));
    } else if (pathname === '/block') {
      const file = searchParams.get('until');
      const end = performance.now() + Number(searchParams.get('ms'));
      // As busy as any loop for those who wait for this process, and not for the processor.
      if (file) while (!existsSync(file)) Atomics.wait(cell, 0, 0, 5);
      else while (performance.now() < end);
      send();
    } else if (pathname === '/exit') process.exit(1);
    else if (pathname === '/break') response.destroy();
    else if (pathname === '/switch') {
      request.socket.write(
        'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: a\r\n\r\n',
      );
    } else if (pathname === '/cut') {
      response.writeHead(200, { 'content-length': 100 });
      response.write('short', () => response.destroy());
    } else send();
  });
};

const routes = {
  key: (head) => ({ key: head.header?.('x-key') ?? '' }),
  canaries: ({ target }) =>
    target === '/canary' ? { slot: '3' } : { key: target.slice(1), among: ['0', '1', '2'] },
};

await serve(({ JOURNAL, ROUTE, LAME_DUCK_MS = '100', ORPHAN_GRACE_MS = '500' }) => {
  const route = routes[ROUTE];
  let handle;
  const answer = answerTo(JOURNAL, () => handle.stats());
  const server = createServer({ keepAliveTimeout: 60_000 }, answer);
  handle = attachServer(server, { route, orphanGraceMs: Number(ORPHAN_GRACE_MS) });
  const lameDuckMs = Number(LAME_DUCK_MS);
  process.once('SIGUSR2', () =>
    handle.close({ graceMs: lameDuckMs + 2000, lameDuckMs }).then(() => process.exit()),
  );
  return handle;
});
