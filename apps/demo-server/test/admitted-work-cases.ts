import type { Admission, Applicant } from '@ticketing/admission';
import { createStepCounter, type StepCounter } from '@ticketing/test-kit';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll } from 'vitest';
import { createCarriers } from '../src/carriers/carriers.ts';
import { buildServer } from '../src/compose/build-server.ts';
import { compose, type Parts } from '../src/compose/compose.ts';
import { readFlags } from '../src/flags/read-flags.ts';
import { noTelemetry } from '../src/telemetry/telemetry.ts';
import type { apiOperations } from './api-operations.ts';
import { hostileRequests } from './hostile-requests.ts';

/** Answered however busy the server is: their work is the same whatever a client sends, and looks at the server are shared. */
export const ALWAYS = [
  ...['isAlive', 'isReady', 'readConfig', 'readStats', 'readMetrics'],
  ...['readOperatorState', 'readOperatorHistory', 'followOperatorState'],
  ...['changeCarrierPlan', 'startLoad', 'killProcess', 'reloadWorkers'],
];

/** Steps that each byte of a target or of a field may take: it is read, decoded and compared. */
export const STEPS_PER_BYTE = 2;

export const { flags } = readFlags(['--carriers-url', 'http://127.0.0.1:9', '--worms', '0'], {});

/** A server in this process whose admission does what a test says. */
export interface AdmittingServer {
  readonly app: FastifyInstance;
  readonly document: Parameters<typeof apiOperations>[0];
  /** Counts the steps of this process. */
  readonly steps: StepCounter;
  readonly gate: Gate;
}

/** Admission as a test wants it. */
interface Gate {
  /** How many requests have asked for it. */
  applied: number;
  decide(applicant: Applicant): void;
}

/** Starts one for the tests of a file. */
export function admittingServer(): () => AdmittingServer {
  let server: AdmittingServer;
  let parts: Parts;
  const gate: Gate = { applied: 0, decide: (applicant) => applicant.begin() };
  beforeAll(async () => {
    const carriers = createCarriers(
      { carriersUrl: 'http://127.0.0.1:9', ouigo: flags.ouigo },
      Date.now,
    );
    const worms = { kind: 'none', url: '' } as const;
    parts = await compose(flags, { carriers, worms, now: Date.now, telemetry: noTelemetry });
    const admission: Admission = {
      ...parts.admission,
      connected: () => {},
      stats: () => parts.admission.stats(),
      apply(applicant) {
        gate.applied += 1;
        gate.decide(applicant);
        return () => {};
      },
    };
    const operator = {
      view: async () => ({}) as never,
      next: async () => undefined,
      history: async () => ({ at: [], lines: {} }),
      control: async () => ({ refusal: { status: 409, detail: 'Nothing' } }) as const,
    };
    const app = await buildServer({
      flags,
      operator,
      carriersUrl: '',
      startedAt: 0,
      tls: undefined,
      parts: { ...parts, admission },
      draining: () => false,
      processes: async () => [],
    });
    await app.ready();
    const document = (await app.inject('/openapi.json')).json();
    const steps = await createStepCounter((url) => !/inspector|vitest/.test(url));
    server = { app, document, steps, gate };
  });
  afterAll(async () => {
    server?.steps.close();
    await server?.app.close();
    await parts?.close();
  });
  return () => server;
}

/** Returns what takes more steps than the same operation asked in the usual way, a linear reading of the head apart. */
export async function tooExpensive(
  { app, document, steps }: AdmittingServer,
  isAsked: (operation: string) => boolean,
): Promise<string[]> {
  const stepsOf = async (target: string, headers = {}): Promise<number> => {
    await app.inject({ url: target, headers: { host: 'localhost', ...headers } });
    return steps.count();
  };
  const found: string[] = [];
  const usualSteps = new Map<string, number>();
  const requests = hostileRequests(document).filter(({ name }) =>
    isAsked(name.split(' ')[0] ?? ''),
  );
  if (requests.length === 0) throw new Error('Cannot compare steps: no operation is asked');
  for (const { name, target, headers = {}, usual } of requests) {
    // What is made when it is needed first is made by then.
    if (!usualSteps.has(usual)) await stepsOf(usual);
    const usually = usualSteps.get(usual) ?? (await stepsOf(usual));
    usualSteps.set(usual, usually);
    const bytes = target.length + Object.values(headers).join('').length;
    const taken = await stepsOf(target, headers);
    if (taken > 2 * usually + STEPS_PER_BYTE * bytes)
      found.push(`${name}: ${taken} steps, and ${usually} as usual`);
  }
  return found;
}
