// What the workers run.
import { defineTasks } from '@ticketing/dispatch';
import type { Message } from './queue.ts';

export interface Invoice {
  readonly order: string;
  readonly customer: string;
  readonly cents: number;
  /** The worker that wrote it. */
  readonly slot: number;
}

export default defineTasks({
  invoice({ id, customer, lines }: Message, { slot }): Invoice {
    let cents = 0;
    for (const line of lines) {
      const sum = line.cents * line.count;
      if (!Number.isSafeInteger(sum)) throw new TypeError(`Order ${id} has a line without a price`);
      cents += sum;
    }
    return { order: id, customer, cents, slot };
  },
});
