import { attachServer } from '@ticketing/socket-router';
import { createBenchServer } from './bench-server.ts';

attachServer(createBenchServer());
