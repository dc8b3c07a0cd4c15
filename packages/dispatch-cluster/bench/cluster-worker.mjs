import { clusterWorker } from '@ticketing/dispatch-cluster';
import { createComputeServer, listenAt } from './compute.mjs';

clusterWorker({ server: createComputeServer(), listen: listenAt });
