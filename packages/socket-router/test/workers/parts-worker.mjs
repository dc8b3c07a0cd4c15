// A server that answers which parts of the package its process has loaded.
import { attachServer } from '@ticketing/socket-router/worker';
import { loadedParts } from './loaded-modules.mjs';

// Not imported: docs/discoveries/what-an-import-of-node-http-loads.md
const { createServer } = process.getBuiltinModule('node:http');

const server = createServer((_, response) => response.end(JSON.stringify(loadedParts())));
attachServer(server, { route: () => ({ key: 'one' }) });
