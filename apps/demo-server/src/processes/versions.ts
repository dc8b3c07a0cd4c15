import core from '@ticketing/core/package.json' with { type: 'json' };
export const versions = { ticketing: core.version, node: process.version };
