// What a registry has of packages: their bytes, and whether these are what it says.
import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';

/** Returns `{ name, packed, unpacked, files, faults }` of each package: bytes of the tarball, and of what is in it. */
export async function sizesOf(names, { version, url }) {
  const sizes = [];
  for (const name of names) {
    const response = await fetch(new URL(name.replace('/', '%2f'), url));
    const document = await response.json();
    const { dist } = document.versions?.[version] ?? {};
    if (dist === undefined || document['dist-tags'].latest !== version) {
      sizes.push({
        name,
        packed: 0,
        files: 0,
        faults: [`${name} ${version} is not the latest one`],
      });
      continue;
    }
    const tarball = Buffer.from(await (await fetch(dist.tarball)).arrayBuffer());
    const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
    const faults =
      integrity === dist.integrity ? [] : [`${name} has not the bytes that were published`];
    sizes.push({ name, packed: tarball.length, ...contentsOf(gunzipSync(tarball)), faults });
  }
  return sizes;
}

/** Counts the files of a tar archive and their bytes: headers of 512 bytes, the size in octal digits at 124. */
function contentsOf(tar) {
  let files = 0;
  let unpacked = 0;
  for (let at = 0; at + 512 <= tar.length && tar[at] !== 0; ) {
    const size = Number.parseInt(tar.toString('latin1', at + 124, at + 136), 8);
    const type = String.fromCharCode(tar[at + 156]);
    if (type === '0' || type === '\0') {
      files += 1;
      unpacked += size;
    }
    at += 512 + 512 * Math.ceil(size / 512);
  }
  return { files, unpacked };
}

/** Lays sizes out as a table. */
export function sizeTable(sizes) {
  const kilobytes = (bytes) => (bytes / 1000).toFixed(1).padStart(9);
  const rows = sizes.map(
    ({ name, packed, unpacked, files }) =>
      `${name.padEnd(34)}${kilobytes(packed)}${kilobytes(unpacked)}${String(files).padStart(7)}`,
  );
  const head = `${'package'.padEnd(34)}${'packed'.padStart(9)}${'unpacked'.padStart(9)}${'files'.padStart(7)}`;
  return [`${head}   (kB)`, ...rows].join('\n');
}
