import cluster from 'node:cluster';
import { fileURLToPath } from 'node:url';

cluster.setupPrimary({ exec: fileURLToPath(new URL('./compute-worker.mjs', import.meta.url)) });
for (let index = 0; index < Number(process.argv[2]); index++) cluster.fork();
