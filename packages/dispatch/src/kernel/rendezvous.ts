/**
 * Gives the slot of a key, 0 to `slots - 1`: the same in every process and version. With one slot more, the keys that
 * the new slot wins move to it, about 1 in `slots + 1`, and no other. Costs a step for each slot.
 *
 * Highest random weight: Thaler and Ravishankar, "Using name-based mappings to increase hit rates",
 * IEEE/ACM Transactions on Networking 6(1), 1998.
 */
export function rendezvous(key: string, slots: number): number {
  const hash = hashOf(key);
  let winner = 0;
  let highest = -1;
  for (let slot = 0; slot < slots; slot++) {
    const weight = mix(hash ^ mix(slot + 1));
    if (weight > highest) {
      highest = weight;
      winner = slot;
    }
  }
  return winner;
}

/** FNV-1a over UTF-16 code units, 32 bits: http://www.isthe.com/chongo/tech/comp/fnv/ */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash;
}

/** The finaliser of MurmurHash3 (Austin Appleby), public domain: each bit of the input changes half of the output's. */
function mix(value: number): number {
  let bits = value;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
