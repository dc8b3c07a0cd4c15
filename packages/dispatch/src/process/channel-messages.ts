// Messages of the channel between a worker process and its parent, beside those of the program: `workerData`, and the inspector.

import type { InspectorOpenMessage } from '../contract/dispatch-messages.ts';
import { dispatchChannel } from '../dispatch-channel.ts';
import { cloneFromBytes, cloneToBytes } from '../wire/clone-bytes.ts';

/** Tag of the worker's question for its `workerData`, and of the parent's answer, which alone has the data, as `bytes`. */
const dataTag = 'dispatch.worker-data';

/** Tag of the address at which a worker's inspector listens, from the worker; without a `url` it is closed. */
const inspectorTag = 'dispatch.inspector';

interface TaggedMessage {
  readonly ticketing?: unknown;
  readonly bytes?: Uint8Array;
  readonly url?: string | undefined;
}

function isTagged(message: unknown, tag: string): message is TaggedMessage {
  return (Object(message) as TaggedMessage).ticketing === tag;
}

/** Returns the environment variable from which a worker, and the libraries in it, read its slot. */
export function slotVariable(slot: number): { readonly TICKETING_WORKER_SLOT: string } {
  return { TICKETING_WORKER_SLOT: String(slot) };
}

/** `workerData` of one worker, in the parent. */
export class WorkerData {
  readonly #bytes: Uint8Array;

  /** @throws DOMException `DataCloneError`, or what a getter of the value throws */
  constructor(value: unknown) {
    this.#bytes = cloneToBytes(value);
  }

  /** Answers the worker's question. @returns false for any other message */
  answer(message: unknown, send: (answer: unknown) => void): boolean {
    if (!isTagged(message, dataTag)) return false;
    send({ ticketing: dataTag, bytes: this.#bytes });
    return true;
  }
}

/**
 * Asks the parent for the `workerData` of this process. The worker asks, because a program may listen to its channel before it
 * becomes a worker: it would consume a message that is sent unasked.
 */
export function askWorkerData(
  host: Pick<NodeJS.Process, 'on' | 'off' | 'send'> = process,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const read = (message: unknown): void => {
      if (!isTagged(message, dataTag) || message.bytes === undefined) return;
      host.off('message', read);
      try {
        resolve(cloneFromBytes(message.bytes));
      } catch (error) {
        reject(error);
      }
    };
    host.on('message', read);
    host.send?.({ ticketing: dataTag }, undefined, undefined, () => {});
  });
}

/** Returns the message of a worker whose inspector was opened or closed. */
export function inspectorMessage(url: string | undefined): TaggedMessage {
  return { ticketing: inspectorTag, url };
}

/** Whether a message of a worker's channel is one of its inspector. */
export function isInspectorMessage(message: unknown): message is TaggedMessage {
  return isTagged(message, inspectorTag);
}

const inspectorOpenChannel = dispatchChannel('ticketing:dispatch:inspector-open');

/** Publishes that the inspector of a worker listens. */
export function publishInspector(message: InspectorOpenMessage): void {
  if (inspectorOpenChannel.hasSubscribers) inspectorOpenChannel.publish(message);
}
