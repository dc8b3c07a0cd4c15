import { createScatter } from '@ticketing/core';
import type { Subject } from '../subject.ts';

const ask = async (id: string): Promise<number> => id.length;
const idsOf = (size: number) => Array.from({ length: size }, (_, index) => `source-${index}`);

/** A scatter of so many sources that answer at once. */
export const sourcesSubject: Subject = {
  name: 'sources of a scatter',
  of: 'sources',
  sizes: [1, 10, 50, 100, 200, 500, 1000],
  contenders: [
    {
      name: '`createScatter`',
      prepare(size) {
        const sources = Object.fromEntries(idsOf(size).map((id) => [id, () => ask(id)]));
        const scatter = createScatter({ sources, deadlineMs: 60_000 });
        return { work: () => scatter.ask(), end: () => scatter.close() };
      },
    },
    {
      name: '`Promise.allSettled`',
      prepare(size) {
        const ids = idsOf(size);
        return { work: () => Promise.allSettled(ids.map(ask)) };
      },
    },
  ],
};
