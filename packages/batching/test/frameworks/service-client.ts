import type { RequestOptions } from 'node:http';
import { connect } from 'node:http2';
import { onTestFinished } from 'vitest';
import { type Call, overHttp1, overHttp2, seen } from '../fastify-client.ts';
import type { RunningService, Service } from './framework.ts';
import { frameworks } from './frameworks.ts';

/** A running service, and the ways to ask it. */
export interface AskedService extends RunningService {
  readonly send: (path: string, options?: RequestOptions) => Call;
  /** Waits until the coalescer was asked so often. */
  asked(count: number): Promise<void>;
  /** Waits until clients that left have been noticed. */
  left(count: number): Promise<void>;
}

/** Starts a service in a framework. */
export async function start(framework: string, service: Service): Promise<AskedService> {
  const create = frameworks[framework];
  if (create === undefined) throw new Error(`Cannot find framework ${framework}`);
  const running = await create(service);
  const { port, coalescer } = running;
  return {
    ...running,
    send: framework === 'node:http2' ? overSession(port) : overHttp1(port),
    asked: (count) => seen(() => coalescer.stats().asked === count),
    left: (count) => seen(() => coalescer.stats().left === count),
  };
}

function overSession(port: number): AskedService['send'] {
  const session = connect(`http://127.0.0.1:${port}`);
  onTestFinished(() => session.destroy());
  return overHttp2(session);
}
