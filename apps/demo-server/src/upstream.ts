import type { Flags } from './flags/flags.ts';

/** Where the carriers answer. */
export interface Upstream {
  readonly url: string;
  close(): Promise<void>;
}

/** The given URL, or a simulator on a free loopback port that lives as long as the server. `now`: epoch ms. */
export async function startUpstream(
  { carriersUrl, latency }: Flags,
  now: () => number,
): Promise<Upstream> {
  if (carriersUrl !== undefined) return { url: carriersUrl, close: async () => {} };
  const { startCarrierSim } = await import('@ticketing/carrier-sim');
  return startCarrierSim({
    now,
    plan: { renfe: { latency }, ouigo: { latency }, avlo: { latency } },
  });
}
