import { Agent, request } from 'node:http';
import type { Findings } from './findings.ts';

/**
 * Returns the process that answered each of several requests in a row, over one connection and over one connection each.
 * Processes are numbered by first appearance.
 */
export async function servedBy(
  url: string,
  { requests }: { readonly requests: number },
): Promise<Findings['servedBy']> {
  return {
    keptConnection: await placesOf(url, {
      requests,
      agent: new Agent({ keepAlive: true, maxSockets: 1 }),
    }),
    newConnections: await placesOf(url, { requests, agent: new Agent({ keepAlive: false }) }),
  };
}

async function placesOf(
  url: string,
  { requests, agent }: { readonly requests: number; readonly agent: Agent },
): Promise<number[]> {
  const pids: string[] = [];
  for (let count = 0; count < requests; count++) pids.push(await pidOf(url, agent));
  agent.destroy();
  const order = [...new Set(pids)];
  return pids.map((pid) => order.indexOf(pid) + 1);
}

function pidOf(url: string, agent: Agent): Promise<string> {
  return new Promise((resolve, reject) => {
    request(url, { agent }, (response) => {
      response.resume().once('end', () => resolve(String(response.headers['x-worker'])));
    })
      .once('error', reject)
      .end();
  });
}
