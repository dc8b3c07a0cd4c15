const TAIL_BYTES = 4096;

/** Keeps the last 4 KiB that a process writes to standard error. */
export class StderrTail {
  #tail: Buffer = Buffer.alloc(0);
  #cut = false;

  push(chunk: Buffer): void {
    const both = Buffer.concat([this.#tail, chunk.subarray(-TAIL_BYTES)]);
    this.#cut ||= this.#tail.length + chunk.length > TAIL_BYTES;
    this.#tail = both.subarray(-TAIL_BYTES);
  }

  text(): string {
    let from = 0;
    // Leaves out a character that was cut in two.
    while (this.#cut && from < 4 && ((this.#tail[from] ?? 0) & 0xc0) === 0x80) from += 1;
    return this.#tail.toString('utf8', from);
  }
}
