import { attachServer } from '@ticketing/socket-router/worker';
import { createAnsweringServer } from './answer.ts';

attachServer(createAnsweringServer());
