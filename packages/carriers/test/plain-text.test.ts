import { expect, test } from 'vitest';
import { plainText } from '../src/wire/plain-text.ts';

test.each([
  ['', ''],
  ['  Works \n\t between  A and B ', 'Works between A and B'],
  ['<p>No trains.<br/>Take the <b>bus</b>.</p>', 'No trains. Take the bus.'],
  ['2 < 3 and 5 > 4', '2 < 3 and 5 > 4'],
  ['a <b c', 'a <b c'],
  ['<!-- hidden --><a href="x>y">more</a>', 'y">more'],
  ['<a> x > <', 'x > <'],
  ['M&uuml;nchen &amp; N&#252;rnberg &#xFC;ber Ulm', 'München & Nürnberg über Ulm'],
  ['&unknown; &#0; &#xD800; &#9999999; &nbsp;end', '&unknown; end'],
  ['&amp;lt;b&amp;gt;', '&lt;b&gt;'],
  ['&lt;b&gt; is text', '<b> is text'],
  ['soft&shy;hyphen', 'softhyphen'],
  ['<ul><li>one</li><li>two</li></ul>', 'one two'],
  ['<B>b</B>r<BR>e<STRONG>a</STRONG>k', 'br eak'],
  ['10 &#128; and 20 &#128', '10 € and 20 €'],
  ['&#8364;&#x80;&#129;&#159;', '€€ Ÿ'],
])('plainText() reads %j as people do', (text, plain) => {
  expect(plainText(text)).toBe(plain);
});

test('plainText() cuts at 500 characters, and no character in two', () => {
  expect(plainText('a'.repeat(600))).toBe('a'.repeat(500));
  expect(plainText(`${'a'.repeat(499)}😀😀`)).toBe('a'.repeat(499));
  expect(plainText(`${'a'.repeat(498)}😀😀`)).toBe(`${'a'.repeat(498)}😀`);
  expect(plainText(`${'<i></i>'.repeat(500)}text`)).toBe('text');
});

/** Steps that grow faster than a text would not end here: a million tags that begin and do not end. */
test.each(['<a', '<', '<!--', '&', '&amp', '&#1', ' ', '< '])(
  'plainText() reads a million of %j in one pass',
  (part) => {
    expect(plainText(part.repeat(1_000_000)).length).toBeLessThanOrEqual(500);
  },
);
