import { FlagError } from './flag-values.ts';
import type { Settings } from './settings.ts';

/** @throws FlagError for flags that exclude each other, or one that has no meaning with the others */
export function refuseConflicts(settings: Settings): void {
  const { accept, carriersUrl, databaseUrl, latency, routeBy, tlsCert, tlsKey, worms } = settings;
  if (worms.value === 0 && databaseUrl.value !== undefined) {
    throw new FlagError(
      `Cannot start: ${worms.from} 0 is for no store, got ${databaseUrl.from} too`,
    );
  }
  if (carriersUrl.value !== undefined && latency.from !== 'default') {
    throw new FlagError(
      `Cannot start: ${latency.from} is for the embedded simulator, got ${carriersUrl.from} too`,
    );
  }
  const hasRouter = accept.value === 'socket' || accept.value === 'passthru';
  if (!hasRouter && routeBy.from !== 'default') {
    throw new FlagError(
      `Cannot start: ${routeBy.from} is for --accept socket and passthru, got ${accept.value}`,
    );
  }
  const [tls, missing] =
    tlsCert.value === undefined ? [tlsKey, '--tls-cert'] : [tlsCert, '--tls-key'];
  if ((tlsCert.value === undefined) !== (tlsKey.value === undefined)) {
    throw new FlagError(`Cannot start: ${missing} expected, got ${tls.from} alone`);
  }
  if (tls.value !== undefined && accept.value === 'passthru') {
    throw new FlagError(
      `Cannot start: ${tls.from} is for --accept single, cluster and socket, got passthru`,
    );
  }
}
