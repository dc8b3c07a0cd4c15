import { createStreamCoalescer } from '@ticketing/batching/streams';
import type { Subject } from '../subject.ts';

const EVENTS = 20;
const prices = Array.from({ length: 20 }, (_, train) => ({ train, price: '49.90 EUR' }));

/** Work for each event: the object, and its text. */
async function* source(): AsyncGenerator<string> {
  for (let event = 0; event < EVENTS; event += 1) yield JSON.stringify({ event, prices });
}

async function read(events: AsyncIterable<string>): Promise<number> {
  let length = 0;
  for await (const event of events) length += event.length;
  return length;
}

/** Viewers who follow one stream to its end. */
export const streamsSubject: Subject = {
  name: 'viewers of one stream, 20 events',
  of: 'viewers',
  sizes: [1, 10, 100, 1000, 10_000],
  contenders: [
    {
      name: '`createStreamCoalescer`',
      prepare(size) {
        const streams = createStreamCoalescer(source);
        const viewers = Array.from({ length: size });
        return { work: () => Promise.all(viewers.map(() => read(streams.follow('prices')))) };
      },
    },
    {
      name: 'a source for each viewer',
      prepare(size) {
        const viewers = Array.from({ length: size });
        return { work: () => Promise.all(viewers.map(() => read(source()))) };
      },
    },
  ],
};
