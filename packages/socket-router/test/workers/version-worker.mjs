// Answers with the version that its environment says.
import { attachServer } from '@ticketing/socket-router';

const { createServer } = process.getBuiltinModule('node:http');

attachServer(createServer((_, response) => response.end(process.env.VERSION)));
