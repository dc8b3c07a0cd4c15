import type { ItemOutlet } from '../contract/dispatcher.ts';
import type { Pump } from './item-pump.ts';

/** The caller of a stream that a task passes on to a dispatcher of this process: credit goes there, and items come from there. */
export class ItemPass implements ItemOutlet, Pump {
  readonly window: number;
  readonly send: (item: unknown) => void;
  #granted: ((items: number) => void) | undefined;

  constructor(credit: number, send: (item: unknown) => void) {
    this.window = credit;
    this.send = send;
  }

  whenGranted(listener: (items: number) => void): void {
    this.#granted = listener;
  }

  grant(items: number): void {
    this.#granted?.(items);
  }

  /** Does nothing: the abort goes on by itself, and ends the stream there. */
  stop(): void {}
}
