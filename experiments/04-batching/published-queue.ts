/** Sends two equal requests at once to the published queue, and describes the outcome in a sentence. */
export async function askPublished(url: string): Promise<string> {
  const answers = await Promise.allSettled([fetch(url), fetch(url)]);
  const alive = await fetch(url).then(
    () => 'lives on',
    () => 'has ended',
  );
  const got = answers.map((each) =>
    each.status === 'fulfilled' ? String(each.value.status) : 'no answer',
  );
  return `two clients at once: ${got.join(' and ')}; the server ${alive}`;
}
