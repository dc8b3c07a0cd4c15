/** A value that a DWR script can carry. */
export type ScriptValue =
  | string
  | number
  | boolean
  | readonly ScriptValue[]
  | { readonly [key: string]: ScriptValue };

/** What a DWR call ends with, and the number of its batch. */
export interface ScriptReply {
  readonly handler: 'handleCallback' | 'handleException';
  readonly batch: '0' | '1';
  readonly value: ScriptValue;
}

/** Writes the script that a DWR 3 server answers a plain call with. */
export function writeDwrScript({ handler, batch, value }: ScriptReply): string {
  return [
    "throw 'allowScriptTagRemoting is false.';",
    '(function(){',
    'var r=window.dwr._[0];',
    '//#DWR-INSERT',
    '//#DWR-REPLY',
    `r.${handler}("0","${batch}",${writeLiteral(value)});`,
    '})();',
    '',
  ].join('\n');
}

/** A JavaScript literal in DWR's spelling: bare keys, and `\uXXXX` for all that is not ASCII. */
function writeLiteral(value: ScriptValue): string {
  if (Array.isArray(value)) return `[${value.map(writeLiteral).join(',')}]`;
  if (typeof value === 'object') {
    return `{${Object.entries(value)
      .map(([key, field]) => `${key}:${writeLiteral(field)}`)
      .join(',')}}`;
  }
  return JSON.stringify(value).replace(/[\u007f-\uffff]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
  });
}
