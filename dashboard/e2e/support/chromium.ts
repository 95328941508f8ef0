import { existsSync } from 'node:fs'

const DEFAULT_PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** Path of the system's browser; undefined if there is none. */
export const CHROMIUM = [process.env.CHROMIUM, ...DEFAULT_PATHS].find((path) => path && existsSync(path))
