import { expect } from 'vitest';
import { eventually, setPlan } from './demo.ts';
import { SEARCH } from './dispatching-servers.ts';
import { readEvents } from './read-events.ts';

// Each search runs whole in a worker, and its events come over the border as they are made.
export const offload = ['--offload', 'search', '--latency', '0'];
export const flags = [...offload, '--dispatch-workers', '1'];
/** Only what a test does ends a search of these. */
export const HELD = ['--deadline-ms', '60000'];

/** The plan of a carrier that answers at once. */
export const WELL = { fault: null, latency: { kind: 'fixed', ms: 0 } };
export const hang = { fault: { kind: 'hang', share: 1 } };
/** What comes of a search while the first carrier hangs; the others may come in any order. */
export const WITHOUT_RENFE = [
  'search-started',
  'avlo',
  'journeys-upsert',
  'ouigo',
  'journeys-upsert',
];
export const sorted = (seen: readonly string[]): string[] => [...seen].sort();

/** Proves that a search whose worker was lost ended with one event more, and that the next one is complete. */
export async function expectLostSearch(
  { seen, last }: Awaited<ReturnType<typeof readEvents>>,
  { url, carriersUrl }: { readonly url: string; readonly carriersUrl: string },
): Promise<void> {
  expect(sorted(seen.slice(0, -1))).toEqual(sorted(WITHOUT_RENFE));
  const problem = { status: 503, instance: '/search' };
  expect(last).toMatchObject({ type: 'search-failed', problem });
  await setPlan(carriersUrl, 'renfe', { fault: null });
  // On a machine that is far too busy another worker may be taken for lost, too: whoever asks again is answered.
  await eventually(async () => {
    const again = await readEvents(url + SEARCH);
    expect(again.last).toMatchObject({ type: 'search-done', complete: true });
  });
}
