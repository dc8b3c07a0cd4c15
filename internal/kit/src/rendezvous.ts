// Highest random weight: Thaler and Ravishankar, "Using name-based mappings to increase hit rates", IEEE/ACM Transactions on
// Networking 6(1), 1998. The candidate with the greatest weight for a key gets it: when one leaves, only its keys move.

/** FNV-1a over UTF-16 code units, 32 bits: http://www.isthe.com/chongo/tech/comp/fnv/ */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash;
}

/** Weight of a candidate for a key, by the hashes of both: 0 to 2^32 - 1, the same in every process and version. */
export function rendezvousWeight(keyHash: number, candidateHash: number): number {
  return mix(keyHash ^ mix(candidateHash));
}

/**
 * Returns the index, 0 to `count - 1`, of the candidate with the greatest weight for a key, the first one of equal hashes; -1
 * without candidates. `hashAt` returns the hash of a candidate, or `undefined` to pass over it. Allocates nothing.
 */
export function heaviest(
  count: number,
  keyHash: number,
  hashAt: (index: number) => number | undefined,
): number {
  let winner = -1;
  let highest = -1;
  for (let index = 0; index < count; index++) {
    const hash = hashAt(index);
    if (hash === undefined) continue;
    const weight = rendezvousWeight(keyHash, hash);
    if (weight <= highest) continue;
    highest = weight;
    winner = index;
  }
  return winner;
}

/** The finaliser of MurmurHash3 (Austin Appleby), public domain: each bit of the input changes half of the output's. */
function mix(value: number): number {
  let bits = value;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
