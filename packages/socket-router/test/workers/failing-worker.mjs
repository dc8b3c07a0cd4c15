// Fails to start, in the way that its environment says, until a file is there.
import { existsSync, writeSync } from 'node:fs';
import { attachServer } from '@ticketing/socket-router';

const { createServer } = process.getBuiltinModule('node:http');
const { FAILS, UNTIL = '' } = process.env;

function fail() {
  if (FAILS === 'throw') throw new TypeError('no database');
  if (FAILS === 'exit') process.exit(3);
  if (FAILS === 'silent-kill') process.kill(process.pid, 'SIGKILL');
  if (FAILS === 'hang') setInterval(() => {}, 1000);
}

if (existsSync(UNTIL)) {
  writeSync(2, 'served\n');
  attachServer(createServer((_, response) => response.end(`${process.pid}`)));
} else {
  fail();
}
