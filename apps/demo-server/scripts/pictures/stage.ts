import { changePlan, type DemoServer } from '../../bench/demo-process.ts';
import { CARRIER_NAMES } from '../../src/carriers/carriers.ts';

const SEARCH = '/search?origin=Madrid&destination=Barcelona';
/** Most that a load may take, and its pause until another one may begin. */
const LOAD = { path: SEARCH, perSecond: 20, seconds: 30 };

/** A server whose carriers and workers a script moves. */
export interface Stage {
  readonly url: string;
  /** Lets all carriers answer, after 50 ms per call. */
  reset(): Promise<void>;
  /** Milliseconds of each call to a carrier. */
  delay(carrier: string, ms: number): Promise<void>;
  hang(carrier: string): Promise<void>;
  /** Sends searches for half a minute, unless some are being sent. */
  load(): Promise<void>;
  kill(process: string): Promise<void>;
}

/** Returns the controls of a server. */
export function createStage(server: DemoServer): Stage {
  const { url } = server;
  const post = async (path: string, body: object): Promise<number> => {
    const { status } = await fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: url },
      body: JSON.stringify(body),
    });
    return status;
  };
  return {
    url,
    async reset() {
      for (const carrier of CARRIER_NAMES) {
        await changePlan(server, carrier, { fault: null, latency: { kind: 'fixed', ms: 50 } });
      }
    },
    delay: (carrier, ms) => changePlan(server, carrier, { latency: { kind: 'fixed', ms } }),
    hang: (carrier) => changePlan(server, carrier, { fault: { kind: 'hang' } }),
    async load() {
      const status = await post('/operator/load', LOAD);
      if (status !== 200 && status !== 409) throw new Error(`Cannot start a load: got ${status}`);
    },
    async kill(process) {
      const status = await post(`/operator/processes/${encodeURIComponent(process)}/kill`, {});
      if (status !== 200) throw new Error(`Cannot kill ${process}: got status ${status}`);
    },
  };
}
