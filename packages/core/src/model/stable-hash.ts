/**
 * Returns 13 characters for a text, the same on every machine and in every version. For names, not for
 * security: equal hashes do not prove equal texts.
 *
 * Two 32-bit lanes over the UTF-16 code units: FNV-1a (Fowler, Noll, Vo), and the same step with the
 * multiplier of MurmurHash2 (Appleby); each finished with the mixer of MurmurHash3.
 */
export function stableHash(text: string): string {
  let one = 0x811c9dc5;
  let two = 0x9747b28c;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    one = Math.imul(one ^ unit, 0x01000193);
    two = Math.imul(two ^ unit, 0x5bd1e995);
  }
  const high = mix(one);
  const low = mix(two);
  return (
    digits(high / THREE, THREE) +
    digits(high, THREE) +
    digits(low / THREE, THREE * 36) +
    digits(low, THREE)
  );
}

const THREE = 36 ** 3;

/** Returns the last digits in base 36, as many as `least` has zeros. Small integers become text faster than `padStart` fills one. */
function digits(value: number, least: number): string {
  return (((value >>> 0) % least) + least).toString(36).slice(1);
}

function mix(lane: number): number {
  let hash = lane;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
