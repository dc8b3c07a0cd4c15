import type { NodeConnectionOptions } from '@nats-io/transport-node';

/** Flags that decide to which fleet a process belongs. Declared here, because the names of flags follow from what they choose. */
export interface FleetFlags {
  /** Servers of one cluster, with commas; set wherever a fleet is used. */
  readonly natsUrl: string | undefined;
  readonly fleet: string;
  readonly zone: string | undefined;
}

/**
 * Returns what a client of NATS connects with. The client takes no credentials from URLs, so they are read here: from the
 * first server that has some are for all, as in a cluster. `name` is shown by the server.
 */
export function natsOptions(
  { natsUrl = '' }: Pick<FleetFlags, 'natsUrl'>,
  name: string,
): NodeConnectionOptions {
  const servers = natsUrl.split(',').map((text) => new URL(text));
  const [owner] = servers.filter(({ username }) => username !== '');
  const [user = '', pass = ''] = [owner?.username, owner?.password].map(decoded);
  return {
    name: `ticketing-demo ${name}`,
    servers: servers.map(({ host }) => host),
    ...(servers.some(({ protocol }) => protocol === 'tls:') && { tls: {} }),
    ...(user !== '' && (pass === '' ? { token: user } : { user, pass })),
  };
}

function decoded(text = ''): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Limits for calls that can do without a host: without one the first search for one is the last, until hosts are looked for again. */
export const SOON = { startTimeoutMs: 300, restart: { backoffMs: [50, 1000] } } as const;

/** Returns the fleet whose hosts answer whole questions. Hosts that only ask carriers are in a fleet of their own. */
export function questionFleet({ fleet }: FleetFlags): string {
  return `${fleet}-keys`;
}
