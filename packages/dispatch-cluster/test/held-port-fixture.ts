import type { ChildProcess } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import net from 'node:net';
import { turns } from '@ticketing/test-kit';
import { onTestFinished, vi } from 'vitest';
import { HeldPort, type HeldPortOptions } from '../src/port/held-port.ts';

/** A worker's process, played by the test. */
export class SimulatedChild extends EventEmitter {
  readonly connected = true;
  readonly heard: Record<string, unknown>[] = [];
  /** The client's port of the connection that was handed over last. */
  handed: number | undefined;

  send(message: Record<string, unknown>, handle?: net.Socket): boolean {
    this.heard.push(message);
    this.handed = handle?.remotePort;
    this.emit('heard');
    return true;
  }

  /** Resolves with the latest message, once it is of this kind. */
  async hears(kind: string): Promise<Record<string, unknown>> {
    while (this.heard.at(-1)?.['kind'] !== kind) await once(this, 'heard');
    return this.heard.at(-1) as Record<string, unknown>;
  }
}

/** Opens a port whose workers are played by the test; their time is that of vitest. */
export async function openPort(options: Partial<HeldPortOptions> = {}) {
  const port = new HeldPort({
    name: 'cluster',
    listen: { port: 0, host: '127.0.0.1' },
    policy: 'round-robin',
    maxWaiting: 10,
    waitMs: 60_000,
    claimTimeoutMs: 4000,
    ...options,
  });
  onTestFinished(() => port.close(0));
  let address = 0;
  return {
    port,
    async join(workerId: number): Promise<SimulatedChild> {
      const child = new SimulatedChild();
      await port.join(workerId, child as unknown as ChildProcess);
      ({
        address: { port: address } = { port: 0 },
      } = child.heard[0] as {
        address?: net.AddressInfo;
      });
      return child;
    },
    async connect(): Promise<net.Socket> {
      const client = net.connect(address, '127.0.0.1').on('error', () => {});
      onTestFinished(() => void client.destroy());
      await once(client, 'connect');
      return client.resume();
    },
  };
}

/** Lets the time pass, then two turns of the event loop. */
export async function pass(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 250) {
    vi.advanceTimersByTime(250);
    await turns(3);
  }
}
