import { channel } from 'node:diagnostics_channel';

const tag = 'dispatch.inspector';

/** `{ workerId, slot, pid, url }` of a worker whose inspector listens. */
const inspectorOpenChannel = channel('ticketing:dispatch:inspector-open');

/** From a worker: where its inspector listens; without a URL it is closed. */
export interface InspectorMessage {
  readonly ticketing: typeof tag;
  readonly url?: string | undefined;
}

/** Returns the message of a worker whose inspector was opened or closed. */
export function inspectorMessage(url: string | undefined): InspectorMessage {
  return { ticketing: tag, url };
}

/** Whether a message of a worker's channel is one. */
export function isInspectorMessage(message: unknown): message is InspectorMessage {
  return (Object(message) as { readonly ticketing?: unknown }).ticketing === tag;
}

/** Publishes that the inspector of a worker listens. */
export function publishInspector(
  worker: { readonly workerId: number; readonly slot: number; readonly pid: number | undefined },
  url: string,
): void {
  const { workerId, slot, pid } = worker;
  if (inspectorOpenChannel.hasSubscribers)
    inspectorOpenChannel.publish({ workerId, slot, pid, url });
}
