import type { LeaseStore } from '../src/shared/index.ts';

/** A store between a coordinator and the engine that all share: its connection can fail in the ways of a network. */
export interface FaultyStore extends LeaseStore {
  /** `stalled`: commands arrive when it is whole again. `half`: they arrive, and their answers do when it is whole again. */
  state: 'connected' | 'broken' | 'stalled' | 'half';
  /** Whether messages are lost. */
  isDeaf: boolean;
  /** Commands that were sent. */
  readonly sent: readonly string[];
  /** Connects again, and lets pass what was held up. */
  repair(): void;
}

const COMMANDS = [
  'claim',
  'renew',
  'finish',
  'release',
  'forget',
  'forgetTag',
  'forgottenTags',
  'waiters',
  'leave',
] as const;

export function createFaultyStore(store: LeaseStore): FaultyStore {
  const sent: string[] = [];
  let heldUp: (() => void)[] = [];
  let returned = (): void => {};
  const later = () => new Promise<void>((resolve) => heldUp.push(resolve));
  const faulty: FaultyStore = {
    ...store,
    state: 'connected',
    isDeaf: false,
    sent,
    repair() {
      const wasBroken = faulty.state === 'broken';
      faulty.state = 'connected';
      for (const pass of heldUp) pass();
      heldUp = [];
      if (wasBroken) returned();
    },
    onReturn(listener) {
      returned = listener;
    },
    listen: (key, onWake) =>
      store.listen(key, () => {
        if (!faulty.isDeaf) onWake();
      }),
  };
  for (const name of COMMANDS) {
    const command = store[name] as (...values: unknown[]) => Promise<unknown>;
    Object.assign(faulty, {
      async [name](...values: unknown[]) {
        sent.push(name);
        if (faulty.state === 'broken') throw new Error('the connection is broken');
        if (faulty.state === 'stalled') await later();
        const answer = await command(...values);
        if (faulty.state === 'half') await later();
        return answer;
      },
    });
  }
  return faulty;
}
