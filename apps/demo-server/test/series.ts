/** One line of `/metrics`. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Lines that are not empty. */
export function lines(body: string): string[] {
  return body.split('\n').filter((line) => line !== '');
}

/** The samples of an exposition. */
export function samples(body: string): Sample[] {
  return lines(body).flatMap((line) => {
    if (line.startsWith('#')) return [];
    const [, name = '', labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, text]) => [key, text]);
    return [{ name, labels: Object.fromEntries(pairs), value: Number(value) }];
  });
}

/** The sum of the samples of a name that have these labels. */
export function sumOf(
  all: readonly Sample[],
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number {
  const wanted = Object.entries(labels);
  return all
    .filter(
      (each) => each.name === name && wanted.every(([key, text]) => each.labels[key] === text),
    )
    .reduce((sum, { value }) => sum + value, 0);
}
