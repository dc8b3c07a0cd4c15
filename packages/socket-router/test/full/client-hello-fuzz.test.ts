import { expect, test } from 'vitest';
import { createClientHelloReader } from '../../src/reading/tls/client-hello-reader.ts';
import {
  alpn,
  capturedHello,
  extension,
  helloMessage,
  recordsOf,
  serverName,
} from '../fixtures/client-hello.ts';
import { mutate } from '../fixtures/mutate.ts';
import { createRandom, fuzzSettings } from '../fixtures/random.ts';
import { byteByByte, pushAll } from '../fixtures/split.ts';

const { runs, seed } = fuzzSettings();
const limits = { helloBytes: 16_384 };

test(
  `createClientHelloReader() throws at no mutated hello, and reads any cut alike: ${runs} hellos`,
  async () => {
    const random = createRandom(seed);
    const name = serverName([0, 'a.example']);
    const message = helloMessage({
      extensions: [extension(0x0a0a, Buffer.alloc(0)), name, alpn('h2', 'http/1.1')],
    });
    const corpus = [
      recordsOf(message),
      recordsOf(message, 20),
      recordsOf(helloMessage()),
      await capturedHello({ servername: 'a.example', ALPNProtocols: ['h2'] }),
    ];
    const pieces = [
      name,
      alpn('h2'),
      Buffer.from([0]),
      Buffer.from([0, 0]),
      Buffer.from([255, 255]),
      recordsOf(message, 5),
    ];
    const counts: Record<string, number> = { hello: 0, refused: 0, incomplete: 0 };
    for (let run = 0; run < runs; run += 1) {
      const bytes = mutate(random.oneOf(corpus), pieces, random);
      const state = createClientHelloReader(limits).push(bytes);
      counts[state.kind] = (counts[state.kind] ?? 0) + 1;
      if (state.kind === 'hello') expect(state.sni ?? 'a').toMatch(/^[a-z0-9_.-]+$/);
      if (run % 16 > 0) continue;
      const again = pushAll(createClientHelloReader(limits), byteByByte(bytes));
      expect(again, bytes.toString('hex')).toEqual(state);
    }
    for (const kind of ['hello', 'refused', 'incomplete']) {
      expect(counts[kind], kind).toBeGreaterThan(runs / 50);
    }
  },
  Math.max(60_000, runs),
);
