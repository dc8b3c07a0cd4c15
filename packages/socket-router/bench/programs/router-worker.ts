import { attachServer } from '@ticketing/socket-router/worker';
import { createBenchServer } from './bench-server.ts';

attachServer(createBenchServer());
