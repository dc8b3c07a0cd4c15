// What each dispatcher of `choosing.ts` runs.
import { setTimeout } from 'node:timers/promises';
import { defineTasks, rawJson, transferred } from '@ticketing/dispatch';
import { recordsOf } from '@ticketing/dispatch/bench/payloads';
import { burn } from '@ticketing/dispatch/bench/work';

export interface Answering {
  readonly steps: number;
  /** Of the answer, as JSON. */
  readonly bytes: number;
}

const tasks = {
  burn,
  wait: (ms: number) => setTimeout(ms, ms),
  object({ steps, bytes }: Answering) {
    burn(steps);
    return known(bytes).records;
  },
  rawJson({ steps, bytes }: Answering) {
    burn(steps);
    return rawJson(known(bytes).records);
  },
  bytes({ steps, bytes }: Answering) {
    burn(steps);
    const answer = known(bytes).json.slice();
    return transferred(answer, [answer.buffer]);
  },
};
export type Tasks = typeof tasks;
export default defineTasks(tasks);

interface Known {
  readonly records: object;
  readonly json: Uint8Array<ArrayBuffer>;
}

/** Made once, since the making is not what is measured. */
const answers = new Map<number, Known>();

function known(bytes: number): Known {
  let answer = answers.get(bytes);
  if (answer === undefined) {
    const records = recordsOf(bytes);
    answer = { records, json: new TextEncoder().encode(JSON.stringify(records)) };
    answers.set(bytes, answer);
  }
  return answer;
}
