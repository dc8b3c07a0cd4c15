import { Deserializer, Serializer } from 'node:v8';
import { refuseLostObjects } from '@ticketing/kit';

/** Returns a structured clone of one value as bytes. @throws DOMException `DataCloneError`, or what a getter of the value throws */
export function cloneToBytes(value: unknown): Uint8Array<ArrayBuffer> {
  const serializer = new TightSerializer();
  serializer.writeHeader();
  serializer.writeValue(value);
  const bytes = serializer.releaseBuffer() as Uint8Array<ArrayBuffer>;
  refuseLostObjects(value, 'v8', { bytes: bytes.byteLength });
  return bytes;
}

/** Reads bytes of `cloneToBytes`. The result shares no memory with them. */
export function cloneFromBytes(bytes: Uint8Array): unknown {
  const deserializer = new TightDeserializer(bytes);
  deserializer.readHeader();
  return deserializer.readValue();
}

type View = Uint8Array | DataView;
type ViewClass = new (buffer: ArrayBuffer, offset: number, length: number) => View;

/** Classes of views by their code, without classes that the platform lacks; both ends have the same Node. */
const viewClasses: readonly ViewClass[] = (
  'Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array ' +
  'Float32Array Float64Array BigInt64Array BigUint64Array DataView Float16Array'
)
  .split(' ')
  .flatMap((name) => (globalThis as unknown as Record<string, ViewClass | undefined>)[name] ?? []);

const BUFFER = 100;

/**
 * Writes only the bytes that a view shows: the platform's serializer writes the memory behind it, and a small Buffer shares
 * 64 KiB of that with other Buffers. Two views of one memory arrive as two memories. Buffers arrive as Buffers.
 */
class TightSerializer extends Serializer {
  constructor() {
    super();
    (this as unknown as Hooks)._setTreatArrayBufferViewsAsHostObjects(true);
  }

  _getDataCloneError(message: string): DOMException {
    return new DOMException(message, 'DataCloneError');
  }

  _writeHostObject(value: object): void {
    // A copy of shared memory would no longer be shared.
    if (!ArrayBuffer.isView(value) || !(value.buffer instanceof ArrayBuffer)) {
      const tag = Object.prototype.toString.call(value);
      throw this._getDataCloneError(`${tag} could not be cloned.`);
    }
    this.writeUint32(codeOf(value));
    this.writeUint32(value.byteLength);
    this.writeRawBytes(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
  }
}

class TightDeserializer extends Deserializer {
  _readHostObject(): View {
    const code = this.readUint32();
    const size = this.readUint32();
    const read = this.readRawBytes(size);
    // `Buffer.from` would use pooled memory, and `slice` of a Buffer the same memory.
    const bytes = new Uint8Array(size);
    bytes.set(read);
    if (code === BUFFER) return Buffer.from(bytes.buffer);
    const View = viewClasses[code] as ViewClass & { readonly BYTES_PER_ELEMENT?: number };
    return new View(bytes.buffer, 0, size / (View.BYTES_PER_ELEMENT ?? 1));
  }
}

/** Methods of the platform that its types do not name. */
interface Hooks {
  _setTreatArrayBufferViewsAsHostObjects(flag: boolean): void;
}

function codeOf(view: ArrayBufferView): number {
  if (Buffer.isBuffer(view)) return BUFFER;
  const tag = Object.prototype.toString.call(view).slice(8, -1);
  const code = viewClasses.findIndex((View) => View.name === tag);
  return code === -1 ? 1 : code;
}
