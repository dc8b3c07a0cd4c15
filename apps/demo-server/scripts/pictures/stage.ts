import { setTimeout } from 'node:timers/promises';
import { changePlan, type DemoServer } from '../../bench/demo-process.ts';

const SEARCH = '/search?origin=Madrid&destination=Barcelona&date=';
/** Days that are searched for: each is another key, so that every server process has some. */
const DAYS = 9;
const PACE_MS = 100;
const FILL_MS = 30_000;
const REST_MS = 3000;

/** A server whose carriers and workers a script moves. */
export interface Stage extends Disposable {
  readonly url: string;
  /** Lets all carriers answer, after 50 ms per call. */
  reset(): Promise<void>;
  /** Milliseconds of each call to a carrier. */
  delay(carrier: string, ms: number): Promise<void>;
  hang(carrier: string): Promise<void>;
  /** Sends ten searches a second until it rests. Waits until charts have something of them. */
  load(): Promise<void>;
  /** Ends the load, and waits until its searches have ended. */
  rest(): Promise<void>;
  kill(process: string): Promise<void>;
}

/** Returns the controls of a server. */
export function createStage(server: DemoServer): Stage {
  const { url } = server;
  let timer: NodeJS.Timeout | undefined;
  let count = 0;

  function searchOnce(): void {
    count += 1;
    const day = new Date(Date.now() + (1 + (count % DAYS)) * 86_400_000);
    fetch(url + SEARCH + day.toISOString().slice(0, 10))
      .then((response) => response.arrayBuffer())
      .catch(() => {});
  }

  return {
    url,
    async reset() {
      // A timetable in the server has no carrier behind it.
      const plans = await (await fetch(`${server.carriersUrl}/plan`)).json();
      for (const carrier of Object.keys(plans as object)) {
        await changePlan(server, carrier, { fault: null, latency: { kind: 'fixed', ms: 50 } });
      }
    },
    delay: (carrier, ms) => changePlan(server, carrier, { latency: { kind: 'fixed', ms } }),
    hang: (carrier) => changePlan(server, carrier, { fault: { kind: 'hang' } }),
    async load() {
      if (timer !== undefined) return;
      timer = setInterval(searchOnce, PACE_MS);
      await setTimeout(FILL_MS);
    },
    async rest() {
      clearInterval(timer);
      timer = undefined;
      await setTimeout(REST_MS);
    },
    [Symbol.dispose]: () => clearInterval(timer),
    async kill(process) {
      const path = `/operator/processes/${encodeURIComponent(process)}/kill`;
      const { status } = await fetch(url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: url },
        body: '{}',
      });
      if (status !== 200) throw new Error(`Cannot kill ${process}: got status ${status}`);
    },
  };
}
