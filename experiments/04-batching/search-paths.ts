const DESTINATIONS = ['Barcelona', 'Sevilla', 'Córdoba', 'Zaragoza', 'Málaga'];
const DAYS = 10;
const DAY_MS = 86_400_000;

/** Different searches from Madrid Atocha, of the next days. `nowMs`: epoch ms. */
export function searchPaths(nowMs: number): string[] {
  return Array.from({ length: DAYS }, (_, day) =>
    new Date(nowMs + (day + 1) * DAY_MS).toISOString().slice(0, 10),
  ).flatMap((date) =>
    DESTINATIONS.map((destination) => {
      const query = new URLSearchParams({ origin: 'Atocha', destination, date });
      return `/search?${query}`;
    }),
  );
}
