// Answers by calls to an upstream of 100 ms, equal ones at the same time by one call: tells whether it made one.
import { createServer } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { attachWorker } from '@ticketing/socket-router';

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
attachWorker(server);
