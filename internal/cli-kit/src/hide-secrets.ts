/** Returns a URL without user, password and parameters; of any other text nothing, because it may be a password. */
export function hideSecrets(text: string): string {
  const [, scheme, rest] = /^([a-z][a-z\d+.-]*:\/\/)(.*)$/is.exec(text) ?? [];
  if (scheme === undefined || rest === undefined) return text === '' ? '' : '…';
  // A password that is not encoded may have any character: the host is after the last @.
  const host = rest.slice(rest.lastIndexOf('@') + 1);
  return scheme + host.replace(/[?#].*$/s, '');
}

/** Returns a message of a library without the secrets of the URLs that it was given, one or several with commas between them. */
export function hideSecretsOf(urls: string, message: string): string {
  const all = new Set([urls, ...urls.split(',')].filter((url) => url.includes('://')));
  const whole = [...all].reduce((text, url) => text.replaceAll(url, hideSecrets(url)), message);
  const secrets = new Set([...all].flatMap(secretsOf).filter((secret) => secret !== ''));
  // The longest first: another may be a part of it.
  return [...secrets]
    .sort((one, other) => other.length - one.length)
    .reduce((text, secret) => text.replaceAll(secret, '…'), whole);
}

const SECRET_PARAMETER = /pass|secret|token|key/i;

/** Returns the password of a URL, or a user without one, which is a token, as written and decoded; and parameters that are named like one. */
function secretsOf(url: string): string[] {
  const start = url.indexOf('://') + '://'.length;
  const end = url.lastIndexOf('@');
  const user = end < start ? '' : url.slice(start, end);
  const [, query = ''] = url.split(/\?(.*)/s);
  const written = [
    user.slice(user.indexOf(':') + 1),
    ...query.split('&').flatMap((pair) => {
      const [name = '', value = ''] = pair.split(/=(.*)/s);
      return SECRET_PARAMETER.test(name) ? [value] : [];
    }),
  ];
  return [...written, ...written.map(decoded)];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
