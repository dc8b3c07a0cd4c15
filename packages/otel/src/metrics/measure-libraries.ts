import type { Meter } from '@opentelemetry/api';
import type { Subscriptions } from '../channels.ts';
import { measureBatching } from './measure-batching.ts';
import { measureCore } from './measure-core.ts';
import { measureDispatch } from './measure-dispatch.ts';
import { measureResilience } from './measure-resilience.ts';
import { measureClusters, measureRouters } from './measure-servers.ts';

/** Makes measurements of what the libraries publish. */
export function measureLibraries(meter: Meter, subscriptions: Subscriptions): void {
  measureCore(meter, subscriptions);
  measureBatching(meter, subscriptions);
  measureDispatch(meter, subscriptions);
  measureResilience(meter, subscriptions);
  measureRouters(meter, subscriptions);
  measureClusters(meter, subscriptions);
}
