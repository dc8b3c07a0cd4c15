import { test } from 'vitest';
import { cutSlowBody } from '../cut-slow-body.ts';
import { startDemo } from '../demo.ts';

test.each(['cluster', 'socket', 'passthru'])(
  '--accept %s: a request that does not arrive within --request-timeout-ms is cut',
  async (accept) => {
    const flags = ['--accept', accept, '--workers', '2', '--request-timeout-ms', '200'];
    await cutSlowBody(await startDemo(flags));
  },
);
