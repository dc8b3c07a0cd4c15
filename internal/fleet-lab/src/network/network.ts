import type { LinkSpeed } from '@ticketing/test-kit';

/** Network between the hosts of a proof and its engines. */
export interface Network extends AsyncDisposable {
  readonly kind: 'namespaces' | 'loopback';
  /** Cause of the network's delays, for the report. */
  readonly delays: string;
  /** Address on which engines listen, and the command that runs them there. */
  readonly engines: { readonly host: string; readonly by: readonly string[] };
  /** Adds a host with a way to each port of the engines. */
  addHost(name: string, options: HostOptions): Promise<NetworkHost>;
  /** Returns the names of its parts that are left after its end. */
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
  /** Command that runs a program on this host. */
  readonly by: readonly string[];
  /** Addresses and ports of the engines, as this host reaches them. */
  readonly engines: readonly string[];
  /** Stops all traffic in silence: no side is told. */
  down(): void;
  up(): void;
}
