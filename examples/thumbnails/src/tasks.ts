// What the workers run.
import { setImmediate as turn } from 'node:timers/promises';
import { defineTasks, rawJson, transferred } from '@ticketing/dispatch';
import { PNG } from 'pngjs';
import { shrink } from './shrink.ts';

export interface Upload {
  readonly png: ArrayBuffer;
  readonly width: number;
}

export interface Limits {
  readonly maxWidth: number;
}

const ROWS_PER_TURN = 64;
/** Of this worker: each has the module for itself. */
let limits: Limits = { maxWidth: 4096 };

function read(png: ArrayBuffer): PNG {
  try {
    return PNG.sync.read(Buffer.from(png));
  } catch (cause) {
    // The caller gets the error with its own properties and its cause; Fastify answers with the status.
    throw Object.assign(new Error('The upload is no PNG', { cause }), { statusCode: 422 });
  }
}

export default defineTasks({
  limit(wanted: Limits) {
    limits = wanted;
  },

  /** A smaller PNG. Its bytes are moved back to the caller, as those of the upload were moved here. */
  thumbnail({ png, width }: Upload) {
    const small = shrink(read(png), Math.min(width, limits.maxWidth));
    const image = new PNG(small);
    image.data = Buffer.from(small.data);
    const bytes = new Uint8Array(PNG.sync.write(image));
    return transferred(bytes, [bytes.buffer]);
  },

  /** What an image shows, as JSON that the server sends on without parsing it. Reports how far it is. */
  async describe(png: ArrayBuffer, { signal, progress, metadata }) {
    const { width, height, data } = read(png);
    const sums = [0, 0, 0, 0];
    for (let row = 0; row < height; row += ROWS_PER_TURN) {
      const end = Math.min(height, row + ROWS_PER_TURN);
      for (let at = row * width * 4; at < end * width * 4; at++) {
        sums[at % 4] = (sums[at % 4] as number) + (data[at] as number);
      }
      progress({ rows: end, of: height });
      // Between turns a signal can fire, and reports leave the worker. In one long loop neither would.
      await turn();
      signal.throwIfAborted();
    }
    const mean = sums.map((sum) => Math.round(sum / (width * height)));
    return rawJson({ name: metadata['name'], width, height, mean });
  },
});
