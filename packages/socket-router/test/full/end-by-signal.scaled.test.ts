import { once } from 'node:events';
import { isFullScale, lives } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import { ask, open, received } from '../clients.ts';
import { nextReport, startProgram } from '../programs.ts';

function testEndBySignal(mode: 'socket' | 'passthru', signal: 'SIGTERM' | 'SIGINT'): void {
  test(`signals, mode ${mode}: ${signal} lets a request finish and ends workers and program with 0; a second one changes nothing`, async () => {
    const program = startProgram('router-program.mjs', [mode, '2', 'signals']);
    const { port, pids } = await nextReport(program);
    const socket = await open(port);
    socket.write('GET /write?ms=300 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    // On another connection, when that one is taken.
    expect((await ask(port)).status).toBe(200);
    const ended = once(program, 'exit');
    program.kill(signal);
    program.kill(signal);
    // The channel to this process would hold it.
    program.disconnect();
    expect(await received(socket)).toMatch(/^HTTP\/1\.1 200 /);
    expect(await ended).toEqual([0, null]);
    expect(pids.filter(lives)).toEqual([]);
  });
}

testEndBySignal('socket', 'SIGTERM');
if (isFullScale()) {
  testEndBySignal('socket', 'SIGINT');
  testEndBySignal('passthru', 'SIGTERM');
}
