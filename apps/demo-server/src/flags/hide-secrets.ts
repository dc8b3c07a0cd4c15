/** A database's URL without user, password and parameters. Of what is no URL nothing is shown, since it may be a password. */
export function hideSecrets(text: string): string {
  const [, scheme, rest] = /^([a-z][a-z\d+.-]*:\/\/)(.*)$/is.exec(text) ?? [];
  if (scheme === undefined || rest === undefined) return text === '' ? '' : '…';
  // A password that was not encoded may have any character in it: the host stands behind the last @.
  const place = rest.slice(rest.lastIndexOf('@') + 1);
  return scheme + place.replace(/[?#].*$/s, '');
}
