const TAIL_BYTES = 4096;

/** Keeps the last 4 KiB that a process writes to standard error. */
export class StderrTail {
  #tail = new Uint8Array(0);
  #cut = false;

  push(chunk: Uint8Array): void {
    this.#cut ||= this.#tail.length + chunk.length > TAIL_BYTES;
    const added = chunk.subarray(-TAIL_BYTES);
    const kept = this.#tail.subarray(Math.max(0, this.#tail.length + added.length - TAIL_BYTES));
    this.#tail = new Uint8Array(kept.length + added.length);
    this.#tail.set(kept);
    this.#tail.set(added, kept.length);
  }

  text(): string {
    let from = 0;
    // Leaves out a character that was cut in two.
    while (this.#cut && from < 4 && ((this.#tail[from] ?? 0) & 0xc0) === 0x80) from += 1;
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(this.#tail.subarray(from));
  }
}
