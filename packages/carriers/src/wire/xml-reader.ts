import { SaxesParser } from 'saxes';
import type { WireReader } from './wire-reader.ts';

/** An element of an answer in XML: of its attributes only the language is read. */
export interface XmlElement {
  /** Name without a prefix: servers of one standard do not agree on prefixes. */
  readonly name: string;
  /** Text directly in the element. */
  readonly text: string;
  readonly children: readonly XmlElement[];
  /** Language of the text, by `xml:lang`. */
  readonly language: string | undefined;
}

interface OpenElement extends XmlElement {
  text: string;
  children: XmlElement[];
}

/** No known answer is a third as deep. */
const MAX_DEPTH = 64;
const none: XmlElement[] = [];

/**
 * Returns the root of a document. Of elements that are not wanted nothing is kept, nor of what is in them: most of a large answer.
 *
 * @param isWanted by name without prefix; the root is always kept
 * @throws CarrierError `PROTOCOL` for text that is not well-formed, has a DOCTYPE, or is more than 64 elements deep
 */
export function readXml(
  read: WireReader,
  text: string,
  isWanted: (name: string) => boolean,
): XmlElement {
  const document: OpenElement = { name: '', text: '', children: none, language: undefined };
  const open = [document];
  let top = document;
  // How many open elements are in one that is not wanted, itself included.
  let skipped = 0;
  let depth = 0;
  // An empty name: not wanted. An answer has some fifty names and thousands of elements.
  const names = new Map<string, string>();
  const nameOf = (qualified: string): string => {
    const known = names.get(qualified);
    if (known !== undefined) return known;
    const name = qualified.slice(qualified.indexOf(':') + 1);
    const kept = depth === 1 || isWanted(name) ? name : '';
    names.set(qualified, kept);
    return kept;
  };
  const parser = new SaxesParser({ xmlns: false });
  parser.on('opentag', ({ name: qualified, attributes }) => {
    depth += 1;
    if (depth > MAX_DEPTH) {
      throw read.error(`XML of at most ${MAX_DEPTH} elements in one another`, 'more');
    }
    const name = skipped > 0 ? '' : nameOf(qualified);
    if (name === '') {
      skipped += 1;
      return;
    }
    const language = attributes['xml:lang'];
    const element: OpenElement = { name, text: '', children: none, language };
    if (top.children === none) top.children = [element];
    else top.children.push(element);
    open.push(element);
    top = element;
  });
  parser.on('closetag', () => {
    depth -= 1;
    if (skipped > 0) {
      skipped -= 1;
      return;
    }
    open.pop();
    top = open.at(-1) ?? document;
  });
  const addText = (more: string): void => {
    if (skipped === 0) top.text += more;
  };
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.on('doctype', () => {
    throw read.error('XML without a DOCTYPE', 'one');
  });
  parser.on('error', ({ message }) => {
    throw read.error('well-formed XML', message);
  });
  parser.write(text).close();
  return document.children[0] ?? document;
}

/** A declaration, in any encoding that has the letters of ASCII. */
const DECLARED =
  /^(?:\ufeff|\u00ef\u00bb\u00bf)?<\?xml[^>]{0,200}?\sencoding\s*=\s*["']([\w.:-]{1,40})["']/;

/**
 * Returns the text of a document in the encoding that it declares, or that its byte order mark shows; UTF-8 without both.
 *
 * @throws CarrierError `PROTOCOL` for bytes of another encoding
 */
export function xmlText(read: WireReader, bytes: Uint8Array): string {
  const [first, second] = bytes;
  const isWide = (first === 0xfe && second === 0xff) || (first === 0xff && second === 0xfe);
  const head = isWide ? '' : Buffer.from(bytes.subarray(0, 300)).toString('latin1');
  const wide = first === 0xfe ? 'utf-16be' : 'utf-16le';
  const label = isWide ? wide : (DECLARED.exec(head)?.[1] ?? 'utf-8').toLowerCase();
  // What is read so far is no UTF-16, whatever it declares.
  if (label === 'utf-8' || (!isWide && label.startsWith('utf-16'))) return read.decode(bytes);
  try {
    return new TextDecoder(label, { fatal: true }).decode(bytes);
  } catch {
    throw read.error('text in its encoding', `${bytes.byteLength} bytes of ${label}`);
  }
}

/** Returns the first child with one of these names. */
export function childOf(
  element: XmlElement | undefined,
  name: string,
  ...others: readonly string[]
): XmlElement | undefined {
  if (element === undefined) return undefined;
  for (const child of element.children) {
    if (child.name === name || (others.length > 0 && others.includes(child.name))) return child;
  }
  return undefined;
}

const noElements: readonly XmlElement[] = [];

/** Returns the children with one of these names. */
export function childrenOf(
  element: XmlElement | undefined,
  name: string,
  ...others: readonly string[]
): readonly XmlElement[] {
  let found: XmlElement[] | undefined;
  for (const child of element?.children ?? noElements) {
    if (child.name !== name && !(others.length > 0 && others.includes(child.name))) continue;
    found ??= [];
    found.push(child);
  }
  return found ?? noElements;
}

/** Returns the text of an element that is below others, `undefined` when there is none. */
export function textAt(
  element: XmlElement | undefined,
  ...path: readonly string[]
): string | undefined {
  let at = element;
  for (const name of path) at = childOf(at, name);
  const text = at?.text.trim();
  return text === '' ? undefined : text;
}
