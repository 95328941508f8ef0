import manifest from '../../package.json' with { type: 'json' }

export const VERSION = manifest.version

/** Of the interface description (GW-PATH-8); the program's own goes its way. */
export const API_VERSION = '1.0.0'
