/** An element of a request. */
export interface XmlNode {
  /** The namespace and the name: `http://www.vdv.de/ojp Origin`. */
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlNode[];
  /** Text directly in the element, trimmed. */
  readonly text: string;
}

interface OpenNode extends XmlNode {
  readonly qualified: string;
  readonly prefixes: Readonly<Record<string, string>>;
  children: XmlNode[];
  text: string;
}

const TOKEN =
  /<\?[^<>]*\?>|<!--[^<>]*-->|<(\/?)([\w.:-]+)((?:\s+[\w.:-]+\s*=\s*"[^"<>]*")*)\s*(\/?)>|([^<]+)/y;
const ATTRIBUTE = /\s+([\w.:-]+)\s*=\s*"([^"]*)"/gy;
const entities: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  amp: '&',
  quot: '"',
  apos: "'",
};

/** Reads a small document with namespaces; `undefined` for text that is not well-formed, or has a DOCTYPE. */
export function readXml(text: string): XmlNode | undefined {
  const document = openNode('', '', { xml: 'http://www.w3.org/XML/1998/namespace' }, {});
  const open: OpenNode[] = [document];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const top = open.at(-1) ?? document;
    const token = TOKEN.exec(text);
    if (token === null) return undefined;
    const [, isEnd, qualified, written = '', isEmpty, content] = token;
    if (content !== undefined) {
      const plain = unescaped(content);
      if (plain === undefined || (top === document && plain.trim() !== '')) return undefined;
      top.text += plain;
    } else if (isEnd) {
      if (top === document || qualified !== top.qualified || written !== '') return undefined;
      open.pop();
      top.text = top.text.trim();
    } else if (qualified !== undefined) {
      const node = startNode(top, qualified, written);
      if (node === undefined || (top === document && top.children.length > 0)) return undefined;
      top.children.push(node);
      if (!isEmpty) open.push(node);
    }
  }
  return open.length === 1 ? document.children[0] : undefined;
}

function startNode(parent: OpenNode, qualified: string, written: string): OpenNode | undefined {
  const attributes: Record<string, string> = {};
  const prefixes: Record<string, string> = { ...parent.prefixes };
  for (const [, name = '', value = ''] of written.matchAll(ATTRIBUTE)) {
    const plain = unescaped(value);
    if (plain === undefined || Object.hasOwn(attributes, name)) return undefined;
    attributes[name] = plain;
    if (name === 'xmlns') prefixes[''] = plain;
    else if (name.startsWith('xmlns:')) prefixes[name.slice('xmlns:'.length)] = plain;
  }
  const [prefix = '', local = ''] = qualified.includes(':')
    ? qualified.split(':')
    : ['', qualified];
  if (prefix !== '' && !Object.hasOwn(prefixes, prefix)) return undefined;
  return openNode(qualified, `${prefixes[prefix] ?? ''} ${local}`, prefixes, attributes);
}

function openNode(
  qualified: string,
  name: string,
  prefixes: OpenNode['prefixes'],
  attributes: OpenNode['attributes'],
): OpenNode {
  return { qualified, name, prefixes, attributes, children: [], text: '' };
}

/** Returns text without entities, `undefined` when it has one that XML does not have. */
function unescaped(text: string): string | undefined {
  const parts = text.split('&');
  let plain = parts[0] ?? '';
  for (const part of parts.slice(1)) {
    const end = part.indexOf(';');
    const name = part.slice(0, Math.max(0, end));
    const code = /^#(?:x([\da-fA-F]{1,6})|(\d{1,7}))$/.exec(name);
    const point = code ? Number.parseInt(code[1] ?? code[2] ?? '', code[1] ? 16 : 10) : undefined;
    const isPoint = point !== undefined && point > 0 && point <= 0x10ffff;
    const character = isPoint ? String.fromCodePoint(point) : entities[name];
    if (character === undefined) return undefined;
    plain += character + part.slice(end + 1);
  }
  return plain;
}
