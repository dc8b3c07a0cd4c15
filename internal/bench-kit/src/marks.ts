/** Replaces what stands between `<!-- name -->` and `<!-- /name -->`. @throws Error if the marks are not there */
export function betweenMarks(
  text: string,
  { name, lines }: { readonly name: string; readonly lines: readonly string[] },
): string {
  const [open, close] = [`<!-- ${name} -->\n`, `<!-- /${name} -->`];
  const start = text.indexOf(open);
  const end = text.indexOf(close, start);
  if (start < 0 || end < 0) {
    throw new Error(
      `Cannot write the report: marks ${open.trim()} and ${close} expected, got none`,
    );
  }
  return `${text.slice(0, start + open.length)}${lines.join('\n')}\n${text.slice(end)}`;
}
