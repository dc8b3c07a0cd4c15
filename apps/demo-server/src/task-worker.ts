// A cluster worker without a server, which runs tasks.
import { clusterWorker } from '@ticketing/dispatch-cluster';
import tasks from './tasks.ts';

clusterWorker({ tasks });
