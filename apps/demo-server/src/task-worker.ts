// A cluster worker that serves nobody and runs tasks.
import { clusterWorker } from '@ticketing/dispatch-cluster';
import tasks from './tasks.ts';

clusterWorker({ tasks });
