import { hash } from 'node:crypto';

/** 128 bits, as text. */
const TAG_LENGTH = 22;

/**
 * Returns the tag of a body. It is weak, so that it holds for each encoding (RFC 9110, 8.8.3.3): another version of zlib makes other
 * bytes of the same body.
 */
export function entityTag(body: Uint8Array): string {
  return `W/"${hash('sha256', body, 'base64url').slice(0, TAG_LENGTH)}"`;
}

/** Returns a tag as one that holds for each encoding. */
export function weakTag(tag: string): string {
  return tag.startsWith('W/') ? tag : `W/${tag}`;
}

/** Returns whether `If-None-Match` has a tag: compared weakly (RFC 9110, 13.1.2), so that a cache's own mark does not count. */
export function hasTag(header: string, tag: string): boolean {
  if (header.trim() === '*') return true;
  const wanted = opaque(tag);
  // A tag may have commas, but no quotes.
  for (const [, one] of header.matchAll(/"([^"]*)"/g)) if (one === wanted) return true;
  return false;
}

function opaque(tag: string): string {
  return tag.slice(tag.indexOf('"') + 1, -1);
}
