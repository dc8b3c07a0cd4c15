// Which parts of the package a process has loaded, from sources or from what was built.
import { Session } from 'node:inspector';

const PARTS = {
  router: /\/socket-router\/(?:src\/router\/|dist\/index)/,
  tls: /\/client-hello-reader[-.]/,
  'proxy-protocol': /\/proxy-protocol[-.]/,
  passthru: /\/passthru-intake[-.]/,
  forwarding: /\/forwarding[-.]/,
  'worker-socket': /\/worker-socket[-.]/,
  'http-proxy': /\/src\/http-proxy\//,
  undici: /\/node_modules\/undici\//,
};

/** Names of the loaded parts; `http-proxy` has no file of its own in what was built. */
export function loadedParts() {
  const urls = [];
  const session = new Session();
  session.connect();
  session.on('Debugger.scriptParsed', ({ params }) => urls.push(params.url));
  session.post('Debugger.enable');
  session.disconnect();
  if (!urls.some((url) => url.includes('/socket-router/'))) throw new Error('No module is seen');
  return Object.keys(PARTS).filter((part) => urls.some((url) => PARTS[part].test(url)));
}
