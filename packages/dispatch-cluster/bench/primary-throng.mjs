import throng from 'throng';

await throng({ worker: () => import('./compute-worker.mjs'), count: Number(process.argv[2]) });
