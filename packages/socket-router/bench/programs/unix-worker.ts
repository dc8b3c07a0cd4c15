// A worker that listens on a unix socket.
import { createBenchServer } from './bench-server.ts';

createBenchServer().listen(process.argv[2], () => process.send?.('ready'));
process.on('disconnect', () => process.exit());
