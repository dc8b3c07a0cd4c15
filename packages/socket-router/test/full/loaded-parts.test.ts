import { once } from 'node:events';
import { expect, test } from 'vitest';
import { ask } from '../clients.ts';
import { startProgram } from '../programs.ts';
import { runsSources } from '../worker-processes.ts';

/** Returns the parts that a process reports as loaded; a built package has no file for code that two of its parts share. */
const seen = (parts: readonly string[]): string[] =>
  parts.filter((part) => runsSources || part !== 'http-proxy');

test.each([
  { name: 'no options', options: {}, router: [], worker: [] },
  { name: 'laterRequests close', options: { laterRequests: 'close' }, router: [], worker: [] },
  {
    name: 'laterRequests forward',
    options: { laterRequests: 'forward' },
    router: [],
    worker: ['forwarding', 'worker-socket', 'http-proxy'],
  },
  {
    name: 'mode passthru',
    options: { mode: 'passthru' },
    router: ['passthru', 'http-proxy'],
    worker: ['worker-socket'],
  },
  { name: 'protocol auto', options: { protocol: 'auto' }, router: ['tls'], worker: [] },
  { name: 'protocol tcp', options: { protocol: 'tcp' }, router: [], worker: [] },
  { name: 'protocol tls-sni', options: { protocol: 'tls-sni' }, router: ['tls'] },
  {
    name: 'no trusted proxy',
    options: { proxyProtocol: { trusted: [] } },
    router: [],
    worker: [],
  },
  {
    name: 'a trusted proxy',
    options: { proxyProtocol: { trusted: ['192.0.2.1'] } },
    router: ['proxy-protocol'],
    worker: [],
  },
  {
    name: 'mode passthru and a trusted proxy',
    options: { mode: 'passthru', proxyProtocol: { trusted: ['192.0.2.1'] } },
    router: ['proxy-protocol', 'passthru', 'http-proxy'],
    worker: ['worker-socket'],
  },
])(
  'a router with $name, and its worker, load only the parts that they need',
  async ({ options, router, worker }) => {
    const program = startProgram('parts-program.mjs', [JSON.stringify(options)]);
    const [{ port, parts }] = await once(program, 'message');
    expect(parts).toEqual(['router', ...seen(router)]);
    // A worker that takes TLS alone cannot be asked.
    if (worker !== undefined) {
      expect(JSON.parse((await ask(port)).text)).toEqual(seen(worker));
    }
    program.send('close');
    await once(program, 'exit');
  },
);
