/** Letters that no accent sets apart from plain ones. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  æ: 'ae',
  œ: 'oe',
  ı: 'i',
};
const LETTER = /[ßøłđðþæœı]/g;

/** Words that mean the same wherever they are in a name. */
const EQUAL_WORDS: readonly (readonly string[])[] = [
  ['st', 'saint', 'sankt'],
  ['ste', 'sainte'],
  ['hbf', 'hauptbahnhof'],
  ['bf', 'bhf', 'bahnhof'],
  ['str', 'strasse'],
  ['pl', 'platz'],
  ['airport', 'flughafen', 'aeroport', 'aeropuerto', 'aeroporto', 'luchthaven', 'lufthavn'],
  ['central', 'centrale', 'centraal'],
];
const CLASSES: ReadonlyMap<string, readonly string[]> = new Map(
  EQUAL_WORDS.flatMap((words) => words.map((word) => [word, words] as const)),
);

/** Words for a station, which a name may lack although people type them. */
const STATION_WORDS: ReadonlySet<string> = wordsOf(
  'gare station stn estacion estacio estacao stazione bahnhof bhf bf bahnhst stasjon nadrazi dworzec',
  'gara stanica kolodvor palyaudvar pu hovedbanegard h hbf hauptbahnhof hb main train railway international',
);

/** Words between others that a name may lack although people type them. */
const SMALL_WORDS: ReadonlySet<string> = wordsOf(
  'de del della di da do la le les el los the of am an im in',
);

function wordsOf(...lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.flatMap((words) => words.split(' ')));
}

/**
 * Returns a text's words, plain: `'Málaga-María Zambrano'` → `['malaga', 'maria', 'zambrano']`. NFKD without marks, lower case,
 * and some letters by hand; words end at every sign that is no letter and no digit.
 */
export function foldedWords(text: string): string[] {
  const folded = fold(text).replace(POSSESSIVE, 's');
  const words = folded.split(ASCII.test(folded) ? /[^a-z0-9]+/ : /[^\p{L}\p{N}]+/u);
  return words.filter((word) => word !== '');
}

/** `King’s` is `kings`; all other apostrophes end a word: `de l’Est`. */
const POSSESSIVE = /['’]s(?![\p{L}\p{N}])/gu;

/** Returns a text in lower case without marks. */
export function fold(text: string): string {
  const lower = text.toLowerCase();
  if (ASCII.test(lower)) return lower;
  return lower
    .replace(LETTER, (letter) => LETTERS[letter] ?? letter)
    .normalize('NFKD')
    .replace(/[\p{M}\p{Cf}]+/gu, '')
    .toLowerCase();
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII, which most names are made of
const ASCII = /^[\x00-\x7f]*$/;

/** Returns the other words that mean the same as a folded one. */
export function equalWords(word: string): readonly string[] {
  return CLASSES.get(word)?.filter((one) => one !== word) ?? [];
}

/** Returns the first of all words that mean the same as a folded one. */
export function canonicalWord(word: string): string {
  return CLASSES.get(word)?.[0] ?? word;
}

/** Returns whether a station may lack this word although somebody types it. */
export function isOptional(word: string): boolean {
  return STATION_WORDS.has(word) || SMALL_WORDS.has(word);
}

/** Returns whether a folded word means a station, and none in particular. */
export function isStationWord(word: string): boolean {
  return STATION_WORDS.has(word);
}

const UMLAUT = /[äöüøå]/g;
const HAS_UMLAUT = /[äöüøåÄÖÜØÅ]/;
const SPELLED: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', ø: 'oe', å: 'aa' };

/** Returns the words of a name with its umlauts in two letters, or none if it has no umlaut: `Köln` → `['koeln']`. */
export function spelledWords(text: string): string[] {
  if (!HAS_UMLAUT.test(text)) return [];
  const spelled = text.toLowerCase().replace(UMLAUT, (letter) => SPELLED[letter] ?? letter);
  return foldedWords(spelled);
}
