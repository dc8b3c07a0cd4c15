import { expect, test } from 'vitest';
import { getAvlo, searchOuigo, searchRenfe } from './call-wires.ts';
import { date, eventually, madridBarcelona, startedSim } from './started-sim.ts';

export const carriers = ['renfe', 'ouigo', 'avlo'] as const;
export type Carrier = (typeof carriers)[number];
const renfe = { origin: '60000', destination: '71801', date };
export const searchOf = (carrier: Carrier, url: string): Promise<Response> =>
  ({
    renfe: () => searchRenfe(url, renfe),
    ouigo: () => searchOuigo(url, madridBarcelona),
    avlo: () => getAvlo(url, date),
  })[carrier]();

const firstCall: Record<Carrier, string> = {
  renfe: '/renfe/vol/inicio.do',
  ouigo: '/ouigo/Token/login',
  avlo: `/avlo/timetable/${date}.json`,
};
const call = (carrier: Carrier, url: string, init: RequestInit = {}) =>
  fetch(`${url}${firstCall[carrier]}`, { method: carrier === 'ouigo' ? 'POST' : 'GET', ...init });

/** Tests what each fault is on the wires of these carriers. */
export function testFaults(of: readonly Carrier[]): void {
  test.each(of)('hang keeps a call to %s open until the client leaves', async (carrier) => {
    const sim = await startedSim({ plan: { [carrier]: { fault: { kind: 'hang' } } } });
    const client = new AbortController();
    const answer = call(carrier, sim.url, { signal: client.signal });
    await eventually(() => expect(sim.requests()[carrier].open).toBe(1));
    client.abort();
    await expect(answer).rejects.toThrow('aborted');
    await eventually(() => {
      expect(sim.requests()[carrier]).toMatchObject({
        arrived: 1,
        answered: 0,
        aborted: 1,
        open: 0,
        mostOpen: 1,
      });
    });
  });

  test.each(of)('error answers 500 for %s', async (carrier) => {
    const sim = await startedSim({ plan: { [carrier]: { fault: { kind: 'error' } } } });
    const response = await call(carrier, sim.url);
    expect(response.status).toBe(500);
    expect(await response.text()).toBe('Internal Server Error\n');
  });

  test.each(of)(
    'error-drip answers 500 at once for %s, and its body does not end',
    async (carrier) => {
      const sim = await startedSim({ plan: { [carrier]: { fault: { kind: 'error-drip' } } } });
      const response = await call(carrier, sim.url);
      expect(response.status).toBe(500);
      expect(Number(response.headers.get('content-length'))).toBeGreaterThan(10_000);
      const reader = response.body?.getReader();
      expect((await reader?.read())?.value).toHaveLength(1);
      await reader?.cancel();
      await eventually(() =>
        expect(sim.requests()[carrier]).toMatchObject({ aborted: 1, open: 0 }),
      );
    },
  );

  test.each(of)('rate-limited answers 429 with Retry-After for %s', async (carrier) => {
    const fault = { kind: 'rate-limited', retryAfterSeconds: 7 } as const;
    const sim = await startedSim({ plan: { [carrier]: { fault } } });
    const response = await call(carrier, sim.url);
    expect(response.status).toBe(429);
    expect(response.headers.get('retry-after')).toBe('7');
  });

  test.each(of)('truncated cuts the search answer of %s in the middle', async (carrier) => {
    const sim = await startedSim();
    const whole = Buffer.from(await (await searchOf(carrier, sim.url)).arrayBuffer());
    sim.setPlan(carrier, { fault: { kind: 'truncated' } });
    const response = await searchOf(carrier, sim.url);
    const cut = Buffer.from(await response.arrayBuffer());
    expect(response.status).toBe(200);
    expect(response.headers.get('content-length')).toBe(String(cut.length));
    expect(cut.equals(whole.subarray(0, Math.floor(whole.length / 2)))).toBe(true);
  });

  test.each(of)('reset ends the connection of %s in the middle of its body', async (carrier) => {
    const sim = await startedSim();
    const whole = await (await searchOf(carrier, sim.url)).text();
    sim.setPlan(carrier, { fault: { kind: 'reset' } });
    const response = await searchOf(carrier, sim.url);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-length')).toBe(String(Buffer.byteLength(whole)));
    await expect(response.text()).rejects.toThrow('terminated');
    await eventually(() => expect(sim.requests()[carrier]).toMatchObject({ aborted: 1, open: 0 }));
  });

  test.each(of)('wrong-content-type sends the answer of %s as a page', async (carrier) => {
    const sim = await startedSim();
    const whole = await (await searchOf(carrier, sim.url)).text();
    sim.setPlan(carrier, { fault: { kind: 'wrong-content-type' } });
    const response = await searchOf(carrier, sim.url);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(await response.text()).toBe(whole);
  });
}
