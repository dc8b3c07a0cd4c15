import { NO_CLASS } from './no-class.ts';
import type { PlannedRequest } from './requests.ts';

/** Most documents in one answer. */
const MOST_FOUND = 10;

/** Returns why the text of an answer with status 200 is not what a request asked for; undefined if it is. */
export function wrongContent({ route, echo }: PlannedRequest, text: string): string | undefined {
  if (echo === undefined) return undefined;
  if (route === 'worms') return wrongWorms(text, echo);
  return text.includes(echo) ? undefined : `no ${echo} in ${text.slice(0, 300)}`;
}

/** Checks that all documents are of the class, and as many as one answer holds: the store has many of each word. */
function wrongWorms(text: string, name: string): string | undefined {
  const documents = JSON.parse(text) as readonly { readonly class: string }[];
  const other = documents.find((document) => document.class !== name);
  if (other !== undefined) return `asked for ${name}, got ${JSON.stringify(other)}`;
  const expected = name === NO_CLASS ? 0 : MOST_FOUND;
  if (documents.length === expected) return undefined;
  return `asked for ${name}, got ${documents.length} documents`;
}
