// Without its daemon: this process is its primary.
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pm2 from 'pm2';

const name = 'compute';
await promisify((done) => pm2.connect(true, done))();
await promisify((done) =>
  pm2.start(
    {
      name,
      script: fileURLToPath(new URL('./compute-worker.mjs', import.meta.url)),
      exec_mode: 'cluster',
      instances: Number(process.argv[2]),
      env: { PORT: process.env.PORT, LOG_REQUESTS: process.env.LOG_REQUESTS },
      out_file: '/dev/null',
      error_file: '/dev/null',
    },
    done,
  ),
)();
process.on('SIGTERM', () => pm2.delete(name, () => process.exit(0)));
