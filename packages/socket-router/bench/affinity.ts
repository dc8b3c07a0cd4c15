export function measureAffinity(): string[] {
  return [];
}
