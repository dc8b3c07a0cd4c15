// Serves alone where no router has started it; reports its port, and its statistics at the end.
import { createServer } from 'node:http';
import { attachServer } from '@ticketing/socket-router/worker';

const server = createServer(async (request, response) => {
  if (request.url === '/held') {
    response.write('begun ');
    await new Promise((resolve) => handle.draining.addEventListener('abort', resolve));
  }
  response.end(`draining: ${handle.draining.aborted}`);
});
const handle = attachServer(server, {
  standalone: { lameDuckMs: 200, graceMs: 3000 },
  listen: { port: Number(process.env.PORT ?? 0), host: '127.0.0.1' },
});
server.once('listening', () => console.log(server.address().port));
if (process.env.REPORT) process.on('exit', () => console.log(JSON.stringify(handle.stats())));
