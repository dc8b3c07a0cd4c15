import type { NatsJsonEndpoint } from '../contract/json-endpoint.ts';
import type { Admission } from './admission.ts';
import { fullError, type HostOptions } from './host-options.ts';

/**
 * Creates the JSON endpoint of a host, within the limit that also applies to the calls of dispatchers.
 *
 * @returns undefined without the option `json`
 */
export function hostJson(
  { json, fleet, zone, revision, tasks, maxMessageBytes, clock, dispatcher }: HostOptions,
  { id, admission }: { readonly id: string; readonly admission: Admission },
): NatsJsonEndpoint | undefined {
  return json?.({
    fleet,
    host: { id, zone, revision },
    tasks,
    async run(task, input, options) {
      if (!admission.admit()) throw fullError(id, task, admission.capacity);
      try {
        return await dispatcher.run(task, input as never, options);
      } finally {
        admission.release();
      }
    },
    get capacity() {
      return admission.capacity;
    },
    maxMessageBytes,
    clock,
  });
}
