import { fold } from '../../search/fold.ts';

/** Returns the name by which somebody means a place: one of its names as it is written, or its own for a code, an id or a slip. */
export function placeName(
  text: string,
  {
    name,
    aliases = [],
  }: { readonly name: string; readonly aliases?: readonly string[] | undefined },
): string {
  const folded = fold(text);
  return [name, ...aliases].find((one) => fold(one) === folded) ?? name;
}
