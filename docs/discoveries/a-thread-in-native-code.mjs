// Shows that a thread that is terminated ends at once if it runs JavaScript, and not before its native call returns.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';

const programs = {
  'endless loop': ['for (;;);', 'ended'],
  'native code': ['execSync("sleep 2");', 'not ended'],
};
for (const [name, [code, expected]] of Object.entries(programs)) {
  const before =
    'const { execSync } = require("node:child_process"); require("node:worker_threads").parentPort.postMessage(0);';
  const worker = new Worker(`${before} ${code}`, { eval: true });
  await once(worker, 'message');
  // It is in the call or in the loop by then.
  await delay(200);
  const ended = worker.terminate().then(() => 'ended');
  const seen = await Promise.race([ended, delay(500, 'not ended')]);
  console.log(`${name}: ${seen} within 500 ms`);
  assert.equal(seen, expected);
  await ended;
}
