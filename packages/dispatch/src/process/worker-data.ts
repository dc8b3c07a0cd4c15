import { cloneFromBytes, cloneToBytes } from '../wire/clone-bytes.ts';

/** Marks the worker's question and the parent's answer. */
const tag = 'dispatch.worker-data';

interface WorkerDataMessage {
  readonly ticketing: typeof tag;
  /** The data, in the answer alone. */
  readonly bytes?: Uint8Array;
}

/** Returns the environment variable that tells a worker, and the libraries in it, its slot. */
export function slotVariable(slot: number): { readonly TICKETING_WORKER_SLOT: string } {
  return { TICKETING_WORKER_SLOT: String(slot) };
}

/** The `workerData` of one worker, in the parent. */
export class WorkerData {
  readonly #bytes: Uint8Array;

  /** @throws DOMException `DataCloneError`, or what a getter of the value throws */
  constructor(value: unknown) {
    this.#bytes = cloneToBytes(value);
  }

  /** Answers the worker's question. @returns false for any other message */
  answer(message: unknown, send: (answer: unknown) => void): boolean {
    if (!isOurs(message)) return false;
    send({ ticketing: tag, bytes: this.#bytes });
    return true;
  }
}

/**
 * Asks the parent for the `workerData` of this process. The worker asks, since a program may listen to its channel before it
 * becomes a worker: it would consume a message that is sent unasked.
 */
export function askWorkerData(
  host: Pick<NodeJS.Process, 'on' | 'off' | 'send'> = process,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const read = (message: unknown): void => {
      if (!isOurs(message) || message.bytes === undefined) return;
      host.off('message', read);
      try {
        resolve(cloneFromBytes(message.bytes));
      } catch (error) {
        reject(error);
      }
    };
    host.on('message', read);
    host.send?.({ ticketing: tag }, undefined, undefined, () => {});
  });
}

function isOurs(message: unknown): message is WorkerDataMessage {
  return (Object(message) as { readonly ticketing?: unknown }).ticketing === tag;
}
