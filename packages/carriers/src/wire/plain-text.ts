/** Most characters of a server's text that people are shown. */
const MAX_SHOWN = 500;

/** Most characters of a server's text that are read: tags and white space may be most of it. */
const MAX_READ = 20_000;

/** Names of HTML entities in texts of carriers, and their characters in the same order. Numbers are read without a table. */
const entityGroups: readonly (readonly [names: string, characters: string])[] = [
  ['amp lt gt quot apos euro', `&<>"'€`],
  ['auml ouml uuml Auml Ouml Uuml szlig', 'äöüÄÖÜß'],
  ['aacute eacute iacute oacute uacute ntilde', 'áéíóúñ'],
  ['Aacute Eacute Iacute Oacute Uacute Ntilde', 'ÁÉÍÓÚÑ'],
  ['agrave egrave igrave ograve ugrave ccedil', 'àèìòùç'],
  ['acirc ecirc icirc ocirc ucirc iuml', 'âêîôûï'],
  ['aring aelig oslash Aring AElig Oslash', 'åæøÅÆØ'],
  ['ndash mdash hellip bull middot deg', '–—…•·°'],
  ['laquo raquo lsquo rsquo ldquo rdquo', '«»‘’“”'],
];

const entities: ReadonlyMap<string, string> = new Map([
  ['nbsp', ' '],
  ['shy', ''],
  ...entityGroups.flatMap(([names, characters]) =>
    names.split(' ').map((name, index) => [name, characters.charAt(index)] as const),
  ),
]);

/** Browsers read numbers without the semicolon too, and servers leave it away. */
const ENTITY = /&(?:#(\d{1,7});?|#[xX]([\da-fA-F]{1,6});?|([a-zA-Z]{2,8});)/g;
const WHITE_SPACE = /\s+/g;
/** Most texts have neither of these. */
const MARKUP = /[<&]/;
const RAGGED = /\s\s|[^\S ]/;
/** Beginning of a tag, a comment or a declaration of HTML; any other `<` is an ordinary character. */
const TAG_START = /[a-zA-Z/!?]/;
/** Tags within a line of text; all others part words, as `<br>` does. */
const INLINE = /^\/?(?:a|abbr|b|em|font|i|mark|small|span|strong|sub|sup|u)\b/i;
/** Characters of a tag that its name may need: `/strong `. */
const LONGEST_INLINE = 8;
/** Numbers from 128 to 159 are read as in windows-1252, by the HTML standard. Unused ones are spaces. */
const WINDOWS_1252 = '€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ';

/**
 * Returns a text as people read it: without HTML tags, with its entities as characters, white space in single spaces, at most 500
 * characters. It is plain text, which whoever shows it must escape: an entity for `<` becomes that character.
 *
 * Reads each character a fixed number of times, however tags begin and do not end.
 */
export function plainText(text: string): string {
  const read = text.slice(0, MAX_READ);
  const characters = MARKUP.test(read) ? withoutTags(read).replace(ENTITY, characterOf) : read;
  const plain = (
    RAGGED.test(characters) ? characters.replace(WHITE_SPACE, ' ') : characters
  ).trim();
  return cutAt(plain, MAX_SHOWN).trimEnd();
}

/** A tag that does not end is text. */
function withoutTags(text: string): string {
  let plain = '';
  let from = 0;
  let start = text.indexOf('<');
  while (start >= 0) {
    if (TAG_START.test(text.charAt(start + 1))) {
      const end = text.indexOf('>', start + 2);
      if (end < 0) break;
      const isInline = INLINE.test(text.slice(start + 1, start + 1 + LONGEST_INLINE));
      plain += text.slice(from, start) + (isInline ? '' : ' ');
      from = end + 1;
      start = text.indexOf('<', from);
    } else {
      start = text.indexOf('<', start + 1);
    }
  }
  return plain + text.slice(from);
}

function characterOf(whole: string, decimal?: string, hex?: string, name?: string): string {
  if (name !== undefined) return entities.get(name) ?? whole;
  const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
  if (code >= 128 && code <= 159) return WINDOWS_1252.charAt(code - 128);
  const isCharacter = code >= 32 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
  return isCharacter ? String.fromCodePoint(code) : ' ';
}

/** Half of a pair of surrogates is no character. */
function cutAt(text: string, length: number): string {
  if (text.length <= length) return text;
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}
