import { type Browser, chromium } from 'playwright-core'
import { CHROMIUM } from './chromium.ts'

let browser: Promise<Browser> | undefined

/** One browser for all files of a test process; each test has a context of its own in it. It ends with the process. */
export function openBrowser(): Promise<Browser> {
  if (CHROMIUM === undefined) throw new Error('These tests need Chromium: install it, or name it in CHROMIUM')
  browser ??= chromium.launch({ executablePath: CHROMIUM, args: ['--disable-gpu', '--disable-dev-shm-usage'] })
  return browser
}
