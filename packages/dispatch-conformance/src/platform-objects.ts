import { createSecretKey } from 'node:crypto';

interface PlatformObject {
  readonly create: () => object;
  /** True if a port clones the object. */
  readonly byPort: boolean;
}

/** WebAssembly, which only the types of a browser have. */
const { WebAssembly } = globalThis as unknown as {
  readonly WebAssembly: { readonly Module: new (bytes: Uint8Array) => object };
};

class Address extends URL {
  readonly line = 1;
}

/** Objects of the platform whose state is not in their members, by name. */
export const platformObjects: ReadonlyMap<string, PlatformObject> = new Map(
  Object.entries({
    AbortSignal: { create: () => AbortSignal.abort(), byPort: false },
    Blob: { create: () => new Blob(['train']), byPort: true },
    CompressionStream: { create: () => new CompressionStream('gzip'), byPort: false },
    Event: { create: () => new Event('arrival'), byPort: false },
    FormData: { create: () => new FormData(), byPort: false },
    Headers: { create: () => new Headers({ via: 'Atocha' }), byPort: false },
    KeyObject: { create: () => createSecretKey(Buffer.alloc(8)), byPort: true },
    ReadableStream: { create: () => new ReadableStream(), byPort: false },
    Request: { create: () => new Request('http://trains.test/'), byPort: false },
    Response: { create: () => new Response('train'), byPort: false },
    TextDecoder: { create: () => new TextDecoder(), byPort: false },
    URL: { create: () => new URL('http://trains.test/'), byPort: false },
    'URL of a class of its own': {
      create: () => new Address('http://trains.test/'),
      byPort: false,
    },
    URLSearchParams: { create: () => new URLSearchParams('via=Atocha'), byPort: false },
    'WebAssembly.Module': {
      create: () => new WebAssembly.Module(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0)),
      byPort: true,
    },
  }),
);
