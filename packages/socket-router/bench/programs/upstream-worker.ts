// Calls an upstream of 100 ms, once for equal requests at the same time, and answers whether the request made a call.
import { createServer } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { attachServer } from '@ticketing/socket-router/worker';

const inFlight = new Map<string, Promise<void>>();

async function callUpstream(key: string): Promise<void> {
  await setTimeout(100);
  inFlight.delete(key);
}

const server = createServer(async ({ url = '' }, response) => {
  const joined = inFlight.get(url);
  const call = joined ?? callUpstream(url);
  if (joined === undefined) inFlight.set(url, call);
  await call;
  response.end(joined === undefined ? 'called' : 'joined');
});
attachServer(server);
