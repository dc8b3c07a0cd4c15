import type { ItemOutlet } from '../../contract/dispatcher.ts';
import type { Call } from './call.ts';
import type { ItemSink, StreamKernel } from './item-stream.ts';

/**
 * The items of a call that stands for a call of another dispatcher: each goes on at once, and credit comes from there. The call
 * never gives more items than that one has room for.
 */
export class PassedItems implements ItemSink {
  readonly window: number;
  hasBegun = false;
  readonly #outlet: ItemOutlet;
  #room: number;
  #begun: { readonly call: Call; readonly kernel: StreamKernel } | undefined;

  constructor(outlet: ItemOutlet) {
    this.window = outlet.window;
    this.#room = outlet.window;
    this.#outlet = outlet;
  }

  begin(call: Call, kernel: StreamKernel): void {
    call.items = this;
    this.#begun = { call, kernel };
    this.#outlet.whenGranted((items) => {
      this.#room += items;
      call.stall(false);
      kernel.grant(call, items);
    });
  }

  item(value: unknown): void {
    if (this.#begun === undefined) return;
    const { call, kernel } = this.#begun;
    this.hasBegun = true;
    this.#room -= 1;
    try {
      this.#outlet.send(value);
    } catch (error) {
      kernel.giveUp(call, error, 'failed');
      return;
    }
    if (this.#room === 0) call.stall(true);
  }

  /** Does nothing: no item waits here. */
  cut(): void {}
}
