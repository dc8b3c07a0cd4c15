// An upstream that answers a few requests at a time, each after a while, and lets the others wait. Reports its port.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const [AT_A_TIME, WORK_MS] = [10, 50];
const waiting = new Set<ServerResponse>();
let underWay = 0;

function next(): void {
  const [response] = waiting;
  if (response === undefined || underWay === AT_A_TIME) return;
  waiting.delete(response);
  underWay += 1;
  setTimeout(() => {
    underWay -= 1;
    response.end('found');
    next();
  }, WORK_MS);
}

const server = createServer((_request, response) => {
  waiting.add(response);
  response.once('close', () => waiting.delete(response));
  next();
});
server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () =>
  process.send?.((server.address() as AddressInfo).port),
);
process.once('disconnect', () => process.exit());
