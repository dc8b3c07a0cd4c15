import { openStations } from '@ticketing/stations';
import type { Subject } from '../subject.ts';

/** Words of names of stations, one after the other. */
const WORDS = 'sankt poelten hauptbahnhof villefranche sur saone madrid puerta de atocha '.repeat(
  60,
);

/** A text of so many characters, as someone types it. */
export const textsSubject: Subject = {
  name: 'text that stations are suggested for',
  of: 'characters',
  sizes: [1, 3, 10, 30, 100, 300, 1000],
  contenders: [
    {
      name: '`suggest`',
      async prepare(size) {
        const stations = await openStations();
        const text = WORDS.slice(0, size).trim() || 'm';
        return { work: () => stations.suggest(text) };
      },
    },
  ],
};
