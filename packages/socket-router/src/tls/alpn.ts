import { type RefusedClientHello, refuseHello } from './client-hello-state.ts';
import type { VectorReader } from './vector-reader.ts';

/** Reads the extension `application_layer_protocol_negotiation`, RFC 7301 3.1. */
export function readAlpn(extension: VectorReader): readonly string[] | RefusedClientHello {
  const list = extension.vector(extension.uint16());
  const protocols: string[] = [];
  if (list.remaining === 0 || extension.remaining > 0) return refuseHello('alpn');
  while (list.remaining > 0) {
    const protocol = list.text(list.uint8());
    if (protocol === '') return refuseHello('alpn');
    if (!isGrease(protocol)) protocols.push(protocol);
  }
  return protocols;
}

/** Two equal bytes 0x?A, RFC 8701 2: sent so that servers learn to ignore what they do not know. */
function isGrease(protocol: string): boolean {
  const byte = protocol.charCodeAt(0);
  return protocol.length === 2 && protocol.charCodeAt(1) === byte && (byte & 0x0f) === 0x0a;
}
