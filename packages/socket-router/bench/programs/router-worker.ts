import { attachWorker } from '@ticketing/socket-router';
import { createBenchServer } from './bench-server.ts';

attachWorker(createBenchServer());
