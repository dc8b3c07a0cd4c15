// Looks for patterns whose matches together take more than linear time, though each match by itself is linear: one that reads
// far ahead, gives that back, and matches little, does so again at the next match.

const SHORT = 4096;
const LONG = 8 * SHORT;
/** What a linear pattern takes for the longer input is below a millisecond, what a quadratic one takes above a hundred. */
const MOST_MS = 15;
/** Of linear time 8, of quadratic 64. */
const MOST_GROWTH = 20;

/**
 * Returns the text that takes more than linear time when it is repeated, or `undefined` if none was found. With the flag
 * `y` matching ends where the pattern does not match, as a reader that meets an error; otherwise it goes on.
 */
export function slowRepetition(pattern, flags) {
  const regexp = new RegExp(pattern, /[gy]/.test(flags) ? flags : `${flags}g`);
  for (const unit of unitsOf(pattern)) {
    if (cpuMsOf(regexp, textOf(unit, SHORT)) < MOST_MS / MOST_GROWTH) continue;
    if (isSlow(regexp, unit)) return unit;
  }
  return undefined;
}

/** The least of several times each: an interrupted measurement proves nothing. */
function isSlow(regexp, unit) {
  const least = (length) => Math.min(...[1, 2, 3].map(() => cpuMsOf(regexp, textOf(unit, length))));
  const long = least(LONG);
  return long > MOST_MS && long > MOST_GROWTH * least(SHORT);
}

function textOf(unit, length) {
  return unit.repeat(Math.ceil(length / unit.length));
}

function cpuMsOf(regexp, text) {
  const before = process.cpuUsage();
  regexp.lastIndex = 0;
  for (let match = regexp.exec(text); match !== null; match = regexp.exec(text)) {
    if (match[0] === '') regexp.lastIndex += 1;
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Returns texts of one to three characters of those that a pattern treats in different ways. */
function unitsOf(pattern) {
  const characters = charactersOf(pattern);
  const units = [];
  for (const one of characters) {
    units.push(one);
    for (const two of characters) {
      units.push(one + two);
      for (const three of characters) units.push(one + two + three);
    }
  }
  return units;
}

/** Representatives of classes, the literals of the pattern, and characters that it may not name. */
function charactersOf(pattern) {
  const classes = { d: '7', w: 'k', s: ' ', D: 'k', W: '-', S: 'k' };
  const found = new Set(['x', ' ', '7']);
  for (const [, escaped, literal] of pattern.matchAll(/\\(.)|([^\\()[\]{}|?*+.^$])/gs)) {
    if (literal !== undefined) found.add(literal);
    else if (Object.hasOwn(classes, escaped)) found.add(classes[escaped]);
    else if (!/[a-z0-9]/i.test(escaped)) found.add(escaped);
  }
  if (pattern.includes('\\')) found.add('\\');
  return [...found].slice(0, 9);
}
