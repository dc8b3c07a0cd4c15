declare module 'express' {
  import type { RequestListener } from 'node:http';

  export default function express(): RequestListener & {
    use(listener: RequestListener): RequestListener;
  };
}
