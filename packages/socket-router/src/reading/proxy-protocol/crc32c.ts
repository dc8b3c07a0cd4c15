/** The reflected polynomial of Castagnoli, RFC 4960 appendix B; that of `node:zlib` is another. */
const POLYNOMIAL = 0x82f63b78;

const TABLE: Uint32Array = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte;
  for (let bit = 0; bit < 8; bit += 1) rest = rest & 1 ? (rest >>> 1) ^ POLYNOMIAL : rest >>> 1;
  return rest;
});

/** Computes the CRC-32C of bytes, with zeros in place of `zeroFrom` to `zeroTo`. */
export function crc32c(bytes: Uint8Array, zeroFrom = 0, zeroTo = 0): number {
  let rest = 0xffffffff;
  for (const [index, byte] of bytes.entries()) {
    const taken = index >= zeroFrom && index < zeroTo ? 0 : byte;
    rest = (rest >>> 8) ^ (TABLE[(rest ^ taken) & 0xff] as number);
  }
  return ~rest >>> 0;
}
