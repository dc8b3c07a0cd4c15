/**
 * Lower case, no accents, one space between words: `'Málaga-María Zambrano'` → `'malaga maria zambrano'`.
 * Full-width letters and ligatures become plain ones (NFKD); invisible characters (a soft hyphen, a joiner) go.
 */
export function foldName(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/[\p{M}\p{Cf}]+/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}
