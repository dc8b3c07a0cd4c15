// Highest random weight: Thaler and Ravishankar, "Using name-based mappings to increase hit rates",
// IEEE/ACM Transactions on Networking 6(1), 1998. The slot with the greatest weight for a key has the key; when a slot
// leaves, its keys alone move.

/** FNV-1a over UTF-16 code units, 32 bits: http://www.isthe.com/chongo/tech/comp/fnv/ */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash;
}

/** Weight of a slot for a key, from the hashes of both: 0 to 2^32 - 1, the same in every process. */
export function rendezvousWeight(keyHash: number, slotHash: number): number {
  return mix(keyHash ^ mix(slotHash));
}

/** The slot that a key belongs to, among those that there are; none without slots. */
export function homeSlot(key: string, slots: readonly string[]): string | undefined {
  const hash = hashText(key);
  let home: string | undefined;
  let highest = -1;
  for (const slot of slots) {
    const weight = rendezvousWeight(hash, hashText(slot));
    if (weight > highest) {
      highest = weight;
      home = slot;
    }
  }
  return home;
}

/** The finaliser of MurmurHash3 (Austin Appleby), public domain: each bit of the input changes half of the output's. */
function mix(value: number): number {
  let bits = value;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
