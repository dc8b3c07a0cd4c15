// Shows what it costs that glibc gives freed memory back at once: page faults and processor time for a megabyte of body.
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, createServer, request } from 'node:http';

const MB = 1024 * 1024;
const KEPT = { MALLOC_TRIM_THRESHOLD_: `${64 * MB}`, MALLOC_MMAP_THRESHOLD_: `${32 * MB}` };
const [CONNECTIONS, BODIES, PROCESSES] = [10_000, 2000, 4];

if (process.argv[2] === 'server') {
  const server = createServer((asked, response) => {
    asked.resume().on('end', () => response.end());
  });
  server.listen(0, '127.0.0.1', () => process.send(server.address().port));
  process.on('message', () => process.send(process.resourceUsage()));
} else {
  const sums = [];
  for (const [name, variables] of Object.entries({ 'as it is': {}, 'memory is kept': KEPT })) {
    const all = [];
    for (let each = 0; each < PROCESSES; each++) all.push(await measure(variables));
    const shown = all.map(
      ({ faults, us }) => `${faults.toFixed(0).padStart(3)} faults, ${us.toFixed(0)} µs`,
    );
    console.log(`${name.padEnd(14)}  ${shown.join('   ')}`);
    sums.push(all.reduce((sum, { faults }) => sum + faults, 0));
  }
  const isGlibc = process.report.getReport().header.glibcVersionRuntime !== undefined;
  assert.ok(!isGlibc || sums[0] > sums[1], 'memory that is kept is faulted in less often');
}

async function measure(variables) {
  const env = { ...process.env, ...variables };
  const child = fork(new URL(import.meta.url), ['server'], { env });
  const [port] = await once(child, 'message');
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  const ask = async (options, body) => {
    const asked = request({ port, host: '127.0.0.1', ...options }).end(body);
    const [response] = await once(asked, 'response');
    await once(response.resume(), 'end');
  };
  const used = async () => {
    child.send('used');
    const [{ minorPageFault, userCPUTime, systemCPUTime }] = await once(child, 'message');
    return { faults: minorPageFault, us: userCPUTime + systemCPUTime };
  };
  // Many connections first: what they leave behind decides what is free at the end of the memory.
  for (let done = 0; done < CONNECTIONS; done += 50) {
    await Promise.all(Array.from({ length: 50 }, () => ask({ agent: false })));
  }
  const body = Buffer.alloc(MB);
  const post = (count) =>
    Promise.all(Array.from({ length: count }, () => ask({ method: 'POST', agent }, body)));
  await post(200);
  const before = await used();
  await post(BODIES);
  const { faults, us } = await used();
  agent.destroy();
  child.kill();
  return { faults: (faults - before.faults) / BODIES, us: (us - before.us) / BODIES };
}
