import { homeSlot } from '../src/worker/forwarding.ts';

const SLOTS = ['0', '1', '2'];
/** Three workers; the header `x-key` of a request names its worker. */
export const byKey = {
  count: 3,
  env: { ROUTE: 'key' },
  route: ({ header }: { header?(name: string): string | undefined }) => ({
    key: header?.('x-key') ?? '',
  }),
};
export const keyed = (key: string) => ({ headers: { 'x-key': key } });
/** A key for each slot. */
export const keys = SLOTS.map((slot) => {
  for (let index = 0; ; index++)
    if (homeSlot(`key-${index}`, SLOTS) === slot) return `key-${index}`;
});
