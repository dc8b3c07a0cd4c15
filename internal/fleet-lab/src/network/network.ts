import type { LinkSpeed } from '@ticketing/test-kit';

/** What lies between the hosts of a proof and its engines. */
export interface Network extends AsyncDisposable {
  readonly kind: 'namespaces' | 'loopback';
  /** How it delays, for the report. */
  readonly delays: string;
  /** Where engines listen, and the command that runs them there. */
  readonly engines: { readonly host: string; readonly by: readonly string[] };
  /** Adds a host with a way to each port of the engines. */
  addHost(name: string, options: HostOptions): Promise<NetworkHost>;
  /** Names of what is left of it after its end. */
  left(): string[];
}

export interface HostOptions {
  /** Ports of engines. */
  readonly ports: readonly number[];
  readonly speed?: HostSpeed | undefined;
}

export interface HostSpeed extends LinkSpeed {
  /** Packets that get lost, either way; only namespaces have packets. */
  readonly lossPercent?: number;
}

export interface NetworkHost {
  /** The command that runs a program on this host. */
  readonly by: readonly string[];
  /** `address:port` of each engine, as this host reaches it. */
  readonly engines: readonly string[];
  /** Nothing passes, and no side is told. */
  down(): void;
  up(): void;
}
