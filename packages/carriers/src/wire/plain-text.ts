/** Most characters of a server's text that people are shown. */
const MAX_SHOWN = 500;

/** Most characters of a server's text that are read: tags and white space may be most of it. */
const MAX_READ = 20_000;

/** Names of the HTML entities that texts of carriers have. Numbers are read without a table. */
const entities: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ', shy: '', euro: '€' },
    ...{ auml: 'ä', ouml: 'ö', uuml: 'ü', Auml: 'Ä', Ouml: 'Ö', Uuml: 'Ü', szlig: 'ß' },
    ...{ aacute: 'á', eacute: 'é', iacute: 'í', oacute: 'ó', uacute: 'ú', ntilde: 'ñ' },
    ...{ Aacute: 'Á', Eacute: 'É', Iacute: 'Í', Oacute: 'Ó', Uacute: 'Ú', Ntilde: 'Ñ' },
    ...{ agrave: 'à', egrave: 'è', igrave: 'ì', ograve: 'ò', ugrave: 'ù', ccedil: 'ç' },
    ...{ acirc: 'â', ecirc: 'ê', icirc: 'î', ocirc: 'ô', ucirc: 'û', iuml: 'ï' },
    ...{ aring: 'å', aelig: 'æ', oslash: 'ø', Aring: 'Å', AElig: 'Æ', Oslash: 'Ø' },
    ...{ ndash: '–', mdash: '—', hellip: '…', bull: '•', middot: '·', deg: '°' },
    ...{ laquo: '«', raquo: '»', lsquo: '‘', rsquo: '’', ldquo: '“', rdquo: '”' },
  }),
);

const ENTITY = /&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([a-zA-Z]{2,8}));/g;
const WHITE_SPACE = /\s+/g;
/** What begins a tag, a comment or a declaration of HTML; any other `<` is a character like others. */
const TAG_START = /[a-zA-Z/!?]/;

/**
 * Returns a text as people read it: without HTML tags, with its entities as characters, white space in single spaces, at most 500
 * characters. It is plain text, which whoever shows it must escape: an entity that stands for `<` becomes that character.
 *
 * Reads each character a fixed number of times, however tags begin and do not end.
 */
export function plainText(text: string): string {
  const plain = withoutTags(text.slice(0, MAX_READ))
    .replace(ENTITY, characterOf)
    .replace(WHITE_SPACE, ' ')
    .trim();
  return cutAt(plain, MAX_SHOWN).trimEnd();
}

/** A tag parts words, as `<br>` does. One that does not end is text. */
function withoutTags(text: string): string {
  let plain = '';
  let from = 0;
  let start = text.indexOf('<');
  while (start >= 0) {
    if (TAG_START.test(text.charAt(start + 1))) {
      const end = text.indexOf('>', start + 2);
      if (end < 0) break;
      plain += `${text.slice(from, start)} `;
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
  const isCharacter = code >= 32 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
  return isCharacter ? String.fromCodePoint(code) : ' ';
}

/** Half of a pair of surrogates is no character. */
function cutAt(text: string, length: number): string {
  if (text.length <= length) return text;
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}
