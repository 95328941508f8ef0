import { type Browser, chromium } from 'playwright-core'
import { CHROMIUM } from './chromium.ts'

let browser: Promise<Browser> | undefined

/** Opens the browser of the test process. Each test has its own context. */
export function openBrowser(): Promise<Browser> {
  if (CHROMIUM === undefined) throw new Error('Chromium not found. Install it or set CHROMIUM to its path.')
  browser ??= chromium.launch({ executablePath: CHROMIUM, args: ['--disable-gpu', '--disable-dev-shm-usage'] })
  return browser
}
