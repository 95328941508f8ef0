import { existsSync } from 'node:fs'

const USUAL = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** The system's browser; undefined where there is none. */
export const CHROMIUM = [process.env.CHROMIUM, ...USUAL].find((path) => path && existsSync(path))
