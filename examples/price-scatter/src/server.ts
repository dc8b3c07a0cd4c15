// An HTTP server that asks every shop at once: the whole answer as JSON, or line by line as shops answer.
import { createServer, type Server, type ServerResponse } from 'node:http';
import { createStreamCoalescer } from '@ticketing/batching/streams';
import { createScatter, type Source } from '@ticketing/core';
import { libraryFamilies, writeFamilies } from '@ticketing/otel/prometheus';
import type { Price } from './shop.ts';

export function createPriceServer(
  shops: readonly Source<string, Price>[],
  options: { readonly deadlineMs: number },
): Server {
  // A shop that hangs and is asked on and on must not collect requests without end: `maxInFlight`.
  const prices = createScatter({ name: 'prices', sources: shops, maxInFlight: 50, ...options });
  // Clients that follow a product at the same time share one scatter, which ends as the last of them leaves.
  const streams = createStreamCoalescer(
    (product: string, { signal }) => prices.stream(product, { signal }),
    { name: 'prices' },
  );

  /** Answers Prometheus: how often each shop answered, in which time, and what streams are shared. */
  function answerScrape(response: ServerResponse) {
    const source = { scatters: { prices: prices.stats() }, streamCoalescers: [streams.stats()] };
    const { contentType, text } = writeFamilies(libraryFamilies, { source });
    response.setHeader('content-type', contentType).end(text);
  }

  async function answer(product: string, response: ServerResponse, asLines: boolean) {
    const left = new AbortController();
    response.once('close', () => left.abort());
    const { signal } = left;
    response.setHeader('content-type', asLines ? 'application/x-ndjson' : 'application/json');
    if (asLines) {
      for await (const event of streams.follow(product, { signal })) {
        response.write(`${JSON.stringify(event)}\n`);
      }
      response.end();
    } else {
      const { answers, sources, complete } = await prices.ask(product, { signal });
      const offers = Object.entries(answers).flatMap(([shop, price]) =>
        price === undefined ? [] : [{ shop, ...price }],
      );
      offers.sort((a, b) => a.cents - b.cents);
      response.end(JSON.stringify({ offers, sources, complete }));
    }
  }

  return createServer((request, response) => {
    if (request.url === '/metrics') {
      answerScrape(response);
      return;
    }
    const [, product] = /^\/prices\/([\w-]+)$/.exec(request.url ?? '') ?? [];
    if (product === undefined) {
      response.writeHead(404).end();
      return;
    }
    const asLines = request.headers.accept === 'application/x-ndjson';
    // A shop never rejects the call: only a client that has left does, and it waits for nothing.
    answer(product, response, asLines).catch(() => response.destroy());
  });
}
