import manifest from '../../package.json' with { type: 'json' }

export const VERSION = manifest.version

/** Of the interface description (gateway-api.md, Versioning); the program's own goes its way. */
export const API_VERSION = '1.0.0'
