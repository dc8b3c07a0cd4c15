import { serveProcess } from '@ticketing/dispatch/transport';

// The program of a worker: kept to wiring, since coverage does not see other processes.
const [, , workerId, module = ''] = process.argv;
serveProcess({ workerId: Number(workerId), module });
