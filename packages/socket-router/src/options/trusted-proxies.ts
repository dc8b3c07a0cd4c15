import { BlockList, isIP } from 'node:net';

/**
 * Makes the check whether an address is one of the proxies', given as addresses and subnets (`10.0.0.0/8`).
 *
 * @throws TypeError for a text that is neither
 */
export function trustedProxies(
  action: string,
  trusted: readonly string[],
): (address: string | undefined) => boolean {
  const list = new BlockList();
  for (const entry of trusted) addEntry(action, list, entry);
  return (address) => address !== undefined && isListed(list, address);
}

function addEntry(action: string, list: BlockList, entry: string): void {
  const [address = '', prefix, ...rest] = entry.split('/');
  const version = isIP(address);
  const bits = prefix === undefined ? undefined : Number(prefix);
  const isPrefix =
    bits === undefined || (/^\d{1,3}$/.test(prefix ?? '') && bits <= (version === 6 ? 128 : 32));
  if (version === 0 || rest.length > 0 || !isPrefix) {
    throw new TypeError(
      `Cannot ${action}: proxyProtocol.trusted must be a list of addresses and subnets, got ${entry}`,
    );
  }
  const family = version === 6 ? 'ipv6' : 'ipv4';
  if (bits === undefined) list.addAddress(address, family);
  else list.addSubnet(address, bits, family);
}

function isListed(list: BlockList, address: string): boolean {
  // A socket that listens on :: shows IPv4 clients as ::ffff:10.0.0.1.
  const plain =
    address.startsWith('::ffff:') && isIP(address.slice(7)) === 4 ? address.slice(7) : address;
  const version = isIP(plain);
  return version !== 0 && list.check(plain, version === 6 ? 'ipv6' : 'ipv4');
}
