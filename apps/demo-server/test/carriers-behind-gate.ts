import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startCarrierSim } from '@ticketing/carrier-sim';
import { onTestFinished } from 'vitest';

/** Carriers that answer once the gate is opened, however long it takes all clients to come. */
export async function carriersBehindGate() {
  const immediate = { latency: { kind: 'fixed', ms: 0 } } as const;
  const sim = await startCarrierSim({
    plan: { renfe: immediate, ouigo: immediate, avlo: immediate },
  });
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const gate = createServer(async (client, reply) => {
    await opened;
    const options = { method: client.method, headers: client.headers };
    const asked = request(sim.url + client.url, options, (answer) => {
      reply.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(reply);
    });
    client.pipe(asked);
  }).listen(0, '127.0.0.1');
  await once(gate, 'listening');
  onTestFinished(async () => {
    gate.close().closeAllConnections();
    await sim.close();
  });
  return { url: `http://127.0.0.1:${(gate.address() as AddressInfo).port}`, open, sim };
}
