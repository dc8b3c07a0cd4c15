const TAB = 0x09;
const DELETE = 0x7f;

/** 1 for a byte that may stand within a line: a tab, visible ASCII, a space, or anything above ASCII. */
export const IS_TEXT: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte === TAB || (byte >= 0x20 && byte !== DELETE) ? 1 : 0,
);

/** 1 for a byte of a token, RFC 9110 5.6.2. */
export const IS_TOKEN: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) =>
  /[!#$%&'*+.^_`|~0-9A-Za-z-]/.test(String.fromCharCode(byte)) ? 1 : 0,
);

/** Each byte, ASCII letters in lower case. */
export const LOWER_CASE: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte,
);
