/** Markup in an element, whose nodes are known by their places in it. */
export interface Tags {
  readonly text: string;
  /** Changes texts and attributes to the ones of other markup. Returns `undefined`, and changes nothing, if its tags or keys are others. */
  follow(text: string): Tags | undefined;
}

/** A tag, or the text up to the next one. `html` writes neither `<` nor `>` in a value. */
const PIECES = /<[^<>]*>|[^<]+/g;
const NAME = /^<[\w-]+/;
const KEY = / data-key="[^"]*"/;
const ATTRIBUTES = / ([\w:-]+)(?:="([^"]*)")?/g;
const CHARACTERS: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
};

/** Reads what an element contains, which is that of `text`. */
export function readTags(element: Element, text: string): Tags {
  const pieces = piecesOf(text);
  return tagsOf(text, pieces, nodesOf(element, pieces));
}

function tagsOf(text: string, pieces: readonly string[], nodes: readonly Node[]): Tags {
  return {
    text,
    follow(next) {
      const now = piecesOf(next);
      if (nodes.length !== pieces.length || now.length !== pieces.length) return undefined;
      const changed: number[] = [];
      for (const [at, piece] of now.entries()) {
        const before = pieces[at] ?? '';
        if (piece === before) continue;
        if (!isLike(before, piece)) return undefined;
        changed.push(at);
      }
      for (const at of changed) change(nodes[at], pieces[at] ?? '', now[at] ?? '');
      return tagsOf(next, now, nodes);
    },
  };
}

function piecesOf(text: string): readonly string[] {
  return text.match(PIECES) ?? [];
}

/** Returns a node for each piece; fewer if the platform made something else of the markup. The end of an element is its beginning. */
function nodesOf(element: Element, pieces: readonly string[]): readonly Node[] {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
  const nodes: Node[] = [];
  for (const piece of pieces) {
    const node = piece.startsWith('</') ? element : walker.nextNode();
    if (node === null) return [];
    const name = NAME.exec(piece)?.[0].slice(1) ?? '#text';
    if (node !== element && node.nodeName.toLowerCase() !== name.toLowerCase()) return [];
    nodes.push(node);
  }
  return walker.nextNode() === null ? nodes : [];
}

/** Returns whether two pieces are of one node. */
function isLike(before: string, piece: string): boolean {
  const name = NAME.exec(before)?.[0];
  if (name !== NAME.exec(piece)?.[0]) return false;
  return name === undefined
    ? !before.startsWith('<') && !piece.startsWith('<')
    : KEY.exec(before)?.[0] === KEY.exec(piece)?.[0];
}

function change(node: Node | undefined, before: string, piece: string): void {
  if (!(node instanceof Element)) {
    if (node !== undefined) node.nodeValue = plain(piece);
    return;
  }
  const old = attributesOf(before);
  for (const [name, value] of attributesOf(piece)) {
    if (old.get(name) !== value) node.setAttribute(name, plain(value));
    old.delete(name);
  }
  for (const name of old.keys()) node.removeAttribute(name);
}

function attributesOf(tag: string): Map<string, string> {
  return new Map([...tag.matchAll(ATTRIBUTES)].map(([, name = '', value = '']) => [name, value]));
}

function plain(text: string): string {
  return text.replace(/&[a-z\d#]{1,5};/g, (one) => CHARACTERS[one] ?? one);
}
