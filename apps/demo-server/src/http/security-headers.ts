import type { FastifyHelmetOptions } from '@fastify/helmet';

/** Content security policy of every page, by directive: nothing inline, nothing from elsewhere, no frames. */
const contentPolicy: Readonly<Record<string, string[]>> = {
  'default-src': ["'none'"],
  'script-src': ["'self'"],
  'style-src': ["'self'"],
  'img-src': ["'self'"],
  'font-src': ["'self'"],
  'connect-src': ["'self'"],
  'form-action': ["'self'"],
  'base-uri': ["'none'"],
  'frame-ancestors': ["'none'"],
};

/** Returns the headers of a page whose policy has these directives in place of the usual ones. No HSTS: that is for whoever ends TLS. */
export function securityHeaders(
  directives: Readonly<Record<string, string[]>> = {},
): FastifyHelmetOptions {
  return {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { ...contentPolicy, ...directives },
    },
    strictTransportSecurity: false,
    referrerPolicy: { policy: 'same-origin' },
    crossOriginResourcePolicy: { policy: 'same-origin' },
  };
}
