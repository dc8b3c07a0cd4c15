// Libraries import modules of Node in code that no page reaches.
declare module 'node:*';
declare namespace NodeJS {
  type Timeout = number;
}
