/** Returns true for a message that is `wanted`, among the messages of other libraries. */
export function isMessage(message: unknown, wanted: { readonly ticketing: string }): boolean {
  return (Object(message) as { readonly ticketing?: unknown }).ticketing === wanted.ticketing;
}
