import { defineTasks } from '@ticketing/dispatch';
import { turns } from '@ticketing/test-kit';
import { expect, it } from 'vitest';
import { type ToPrimaryMessage, toPrimaryTag } from '../src/primary/primary-messages.ts';
import { PrimarySessions } from '../src/primary/primary-sessions.ts';

const run = (seq: number): string => JSON.stringify([0, 0, seq, 1, 0, 1, 'hold', 1, null, null, 0]);

it.each([
  ['no JSON', ['[']],
  ['no list', ['{}']],
  ['a code of no frame', ['[0,99,1,1,0]']],
  ['a call of a task that is no text', ['[0,0,1,1,0,1,{},1,null,null,0]']],
])(
  'a worker whose message for the primary is %s has its session ended, and no other [worker-bytes]',
  async (_, message) => {
    const aborted: number[] = [];
    const sessions = new PrimarySessions(
      defineTasks({
        hold: (_: undefined, { signal, workerId }) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => {
              aborted.push(workerId);
              reject(signal.reason);
            });
          }),
      }),
    );
    const sent: Record<number, string[]> = { 1: [], 2: [] };
    const peer = (workerId: number) => ({
      workerId,
      send: (each: object) => void sent[workerId]?.push((each as { act: string }).act),
    });
    const receive = (workerId: number, each: ToPrimaryMessage): void =>
      sessions.receive(peer(workerId), { ticketing: toPrimaryTag, session: 7, ...each });
    for (const workerId of [1, 2]) receive(workerId, { act: 'open', module: undefined });
    await turns(3);
    for (const workerId of [1, 2]) receive(workerId, { act: 'frames', message: [run(1)] });
    await turns(3);
    expect(() => receive(1, { act: 'frames', message })).not.toThrow();
    await turns(3);
    expect(aborted).toEqual([1]);
    expect(sent[1]?.at(-1)).toBe('closed');
    expect(sent[2]).not.toContain('closed');
    // Nothing is left to read further messages.
    expect(() => receive(1, { act: 'frames', message })).not.toThrow();
    await sessions.close();
    expect(aborted).toEqual([1, 2]);
  },
);

it('a failed `setup` is tried again by the next session, and then runs once for all', async () => {
  const seen: string[] = [];
  let failing = true;
  const sessions = new PrimarySessions(
    defineTasks(
      { hold: () => void seen.push('run') },
      {
        setup() {
          seen.push('setup');
          if (failing) throw new Error('no database');
        },
        teardown: () => void seen.push('teardown'),
      },
    ),
  );
  const peer = { workerId: 1, send: () => {} };
  const receive = (session: number, each: ToPrimaryMessage): void =>
    sessions.receive(peer, { ticketing: toPrimaryTag, session, ...each });
  receive(1, { act: 'open', module: undefined });
  await turns(3);
  expect(seen.splice(0)).toEqual(['setup']);
  failing = false;
  for (const session of [2, 3]) receive(session, { act: 'open', module: undefined });
  await turns(3);
  expect(seen.splice(0)).toEqual(['setup']);
  for (const session of [2, 3]) receive(session, { act: 'frames', message: [run(1)] });
  await turns(3);
  await sessions.close();
  expect(seen).toEqual(['run', 'run', 'teardown']);
});
