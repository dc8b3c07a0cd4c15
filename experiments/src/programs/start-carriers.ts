import type { CarrierSimId, PlanPatch } from '@ticketing/carrier-sim';
import type { Programs } from './programs.ts';

/** Simulated carriers, for the demo's `--carriers-url`. */
export interface Carriers {
  readonly url: string;
  /** Calls received by Renfe, from which the number of searches follows. */
  calls(): Promise<number>;
  /** Changes the plan of a carrier. @throws Error if the simulator refuses it */
  plan(carrier: CarrierSimId, plan: PlanPatch): Promise<void>;
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
    async plan(carrier, plan) {
      const { ok, status } = await fetch(`${url}/plan/${carrier}`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(plan),
      });
      if (!ok) throw new Error(`Cannot plan ${carrier}: the simulator answered ${status}`);
    },
  };
}
