// A host's way to its engines, with a delay: `link-program.ts '{ "links": […], "delayMs": 20, "jitterMs": 5 }'`. Ends with its input.
import { once } from 'node:events';
import { createLink } from '@ticketing/test-kit';

interface Given {
  readonly links: readonly {
    readonly from: number;
    readonly to: { readonly host: string; readonly port: number };
  }[];
  readonly delayMs?: number;
  readonly jitterMs?: number;
}

const { links, ...speed } = JSON.parse(process.argv[2] ?? '') as Given;
for (const { from, to } of links) await createLink({ port: from, to, ...speed });
console.log('listening');
process.stdin.resume();
await once(process.stdin, 'end');
process.exit();
