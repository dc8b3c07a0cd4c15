// A user's server: what cannot be answered in time is refused, with only the published packages.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { createAdmission } from '@ticketing/admission';
import { admitRoutes } from '@ticketing/admission/fastify';
import { admitRequests } from '@ticketing/admission/http';

const admission = createAdmission({ deadlineMs: 20_000 });
const server = createServer((_request, response) => response.end('found'));
const arrivedAt = ({ url }) => (url === '/late' ? performance.now() - 20_000 : undefined);
admitRequests(server, { admission, arrivedAt });
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${server.address().port}`;
assert.equal(await (await fetch(`${url}/trains`)).text(), 'found');
const late = await fetch(`${url}/late`);
assert.deepEqual([late.status, (await late.json()).code], [503, 'ERR_EXPIRED']);
assert.deepEqual(admission.stats().refused, { busy: 0, late: 1 });
assert.equal(typeof admitRoutes, 'function');
server.close();
server.closeAllConnections();
admission.close();

// Requests that a client sent ahead leave with their connection.
const few = createAdmission({ deadlineMs: 20_000, maxInFlight: 2 });
const silent = createServer(() => {});
admitRequests(silent, { admission: few });
silent.listen(0, '127.0.0.1');
await once(silent, 'listening');
const client = connect(silent.address().port, '127.0.0.1');
client.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n'.repeat(5));
while (few.stats().waiting < 3) await turn();
client.destroy();
while (few.stats().inFlight + few.stats().waiting > 0) await turn();
silent.close();
few.close();
console.log(`node ${process.version}: an admission refuses what is late`);
