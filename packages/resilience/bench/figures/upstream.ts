import { type PlanPatch, startCarrierSim } from '@ticketing/carrier-sim';
import { Agent } from 'undici';

/** An upstream of the simulator, and a client of it. */
export interface Upstream<Name extends string> extends AsyncDisposable {
  /** Changes the plan of a carrier from its next request on. */
  setPlan(name: Name, patch: PlanPatch): void;
  /** Returns how many requests have reached a carrier. */
  arrived(name: Name): number;
  /** Returns how many requests a carrier has answered to the last byte. */
  answered(name: Name): number;
  /** Returns the times at which requests reached a carrier, in milliseconds of `performance.now()`. Requests that meet a fault are not among them. */
  arrivals(name: Name): readonly number[];
  /**
   * Asks a carrier.
   *
   * @throws UpstreamError for a status other than 200
   */
  ask(name: Name, signal?: AbortSignal): Promise<void>;
  /** Opens connections without a counted request, so that the first calls do not wait for them. */
  connect(connections: number): Promise<void>;
}

/** Answer with a status other than 200, as clients report it. */
class UpstreamError extends Error {
  readonly status: number;
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;

  constructor(status: number, retryAfter: string | undefined) {
    super(`The upstream answered with status ${status}`);
    this.status = status;
    this.retryable = status >= 500 || status === 429;
    this.retryAfterMs = retryAfter === undefined ? undefined : 1000 * Number(retryAfter);
  }
}

/** Starts a simulator with a carrier for each plan. */
export async function startUpstream<Name extends string>(
  plans: Readonly<Record<Name, PlanPatch>>,
): Promise<Upstream<Name>> {
  const arrivals = new Map<string, number[]>();
  const names = Object.keys(plans) as Name[];
  const carriers = Object.fromEntries(
    names.map((name) => {
      const times: number[] = [];
      arrivals.set(name, times);
      const answer = (): { readonly body: string } => {
        times.push(performance.now());
        return { body: 'found' };
      };
      return [name, answer];
    }),
  ) as Record<Name, () => { readonly body: string }>;
  const sim = await startCarrierSim({ carriers, plan: plans as never });
  const agent = new Agent({ connections: 1000, keepAliveTimeout: 60_000 });
  const counts = (name: Name) => sim.requests()[name];
  async function ask(path: string, signal?: AbortSignal): Promise<void> {
    const { statusCode, headers, body } = await agent.request({
      origin: sim.url,
      path,
      method: 'GET',
      signal: signal ?? null,
    });
    await body.dump();
    if (statusCode !== 200) throw new UpstreamError(statusCode, headers['retry-after']?.toString());
  }
  return {
    setPlan: (name, patch) => void sim.setPlan(name, patch),
    arrived: (name) => counts(name).arrived,
    answered: (name) => counts(name).answered,
    arrivals: (name) => arrivals.get(name) ?? [],
    ask: (name, signal) => ask(`/${name}`, signal),
    async connect(connections) {
      await Promise.all(Array.from({ length: connections }, () => ask('/requests')));
    },
    async [Symbol.asyncDispose]() {
      await agent.destroy();
      await sim.close();
    },
  };
}
