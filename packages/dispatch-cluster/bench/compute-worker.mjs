import { createComputeServer, listenAt } from './compute.mjs';

createComputeServer().listen(listenAt);
