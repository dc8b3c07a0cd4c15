// Attaches the server of a worker program: once, or each time that `lent-workers.ts` lends the process to a router.
export async function serve(attach) {
  if (process.argv[2] !== 'lent') return attach(process.env);
  let handle;
  process.on('message', async ({ lent }) => {
    if (lent === undefined) return;
    await handle?.close({ graceMs: 0 });
    handle = await attach({ ...process.env, ...lent });
    process.send('lent');
  });
}
