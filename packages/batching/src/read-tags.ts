import { type Rule, showValue, wrongOption } from '@ticketing/kit';
import { callError } from './errors.ts';

/** Most tags of one value. */
const MAX_TAGS = 64;
const MAX_TAG_LENGTH = 256;

const aTag: Rule = {
  expected: `a text of 1 to ${MAX_TAG_LENGTH} characters`,
  test: (value) => typeof value === 'string' && value.length > 0 && value.length <= MAX_TAG_LENGTH,
};

/** Returns the tags of a value, each once. @throws BatchingError `ERR_WRONG_TAGS`, and what `tags` throws */
export function readTags<K, V>(
  name: string,
  tags: (value: V, key: K) => readonly string[],
  { value, key }: { readonly value: V; readonly key: K },
): readonly string[] {
  const read: unknown = tags(value, key);
  const fault = faultOf(read);
  if (fault === undefined) return [...new Set(read as readonly string[])];
  const expected = `a list of at most ${MAX_TAGS} texts of 1 to ${MAX_TAG_LENGTH} characters`;
  const message = `Cannot tag a value of \`${name}\`: \`tags\` must return ${expected}, got ${fault}`;
  throw callError(name, 'ERR_WRONG_TAGS', message, { key });
}

/** Checks the tag of a `forgetTag`. @throws TypeError */
export function checkTag(name: string, tag: unknown): asserts tag is string {
  if (!aTag.test(tag)) throw wrongOption(`forget a tag of \`${name}\``, 'tag', aTag, tag);
}

function faultOf(tags: unknown): string | undefined {
  if (!Array.isArray(tags)) return showValue(tags);
  if (tags.length > MAX_TAGS) return `${tags.length} of them`;
  const wrong = tags.findIndex((tag) => !aTag.test(tag));
  if (wrong === -1) return undefined;
  const tag: unknown = tags[wrong];
  return typeof tag === 'string' ? `one of ${tag.length} characters` : showValue(tag);
}
