import manifest from '../../package.json' with { type: 'json' }

export const VERSION = manifest.version

/** Version of the API description (GW-PATH-8). It does not change with the program's version. */
export const API_VERSION = '1.0.0'
