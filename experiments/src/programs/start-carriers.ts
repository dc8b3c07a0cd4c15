import type { Programs } from './programs.ts';

/** Carriers that the demo can be pointed at. */
export interface Carriers {
  readonly url: string;
  /** Calls that have come to Renfe, which tells how many searches there were. */
  calls(): Promise<number>;
}

const SIMULATOR = new URL('carrier-simulator.ts', import.meta.url);

/** Starts the carriers' simulator in its own process. */
export async function startCarriers(
  programs: Programs,
  options: { readonly latencyMs: number },
): Promise<Carriers> {
  const { url } = await programs.start(SIMULATOR, ['--latency', String(options.latencyMs)]);
  return {
    url,
    async calls() {
      const counts = (await (await fetch(`${url}/requests`)).json()) as {
        readonly renfe: { readonly arrived: number };
      };
      return counts.renfe.arrived;
    },
  };
}
