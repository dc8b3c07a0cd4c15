import type { ItemOutlet } from '../../contract/dispatcher.ts';
import type { Call, ItemSink, StreamKernel } from '../state/call.ts';

/** Relays stream items to the original caller at once. Credit comes from there, and bounds them. */
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
