import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { onTestFinished } from 'vitest'
import { CHROMIUM } from './chromium.ts'

const TIMEOUT_MS = 20_000
const WIDE = { width: 1280, height: 720 }
export const NARROW = { width: 380, height: 800 }

export interface Window {
  readonly page: Page
  readonly consoleErrors: string[]
  /** Opens a page of the dashboard: `/settings/operators`. */
  visit(path: string): Promise<void>
}

let browser: Promise<Browser> | undefined

/** The browser of the worker. */
function openBrowser(): Promise<Browser> {
  if (CHROMIUM === undefined) throw new Error('Chromium not found. Install it or set CHROMIUM to its path.')
  // Chromium's GPU process takes more CPU time than its GPU thread, and optimizing the code of a page more than the page saves with it.
  const args = ['--disable-gpu', '--in-process-gpu', '--disable-dev-shm-usage', '--js-flags=--no-opt --no-maglev']
  browser ??= chromium.launch({ executablePath: CHROMIUM, args })
  return browser
}

/** The windows of a test file. Each has its own cookies. */
export class Windows {
  readonly #base: string
  readonly #opened: Window[] = []
  /** Those that no test uses: a new one costs as much CPU time as three pages, and has to compile the scripts again. */
  readonly #free: Window[] = []

  constructor(base: string) {
    this.#base = base
  }

  /** A window that no other test gets: with an empty cache, with other options, or for functions that are added to its pages. */
  async openNew(options: BrowserContextOptions = {}): Promise<Window> {
    const shared = { baseURL: this.#base, reducedMotion: 'reduce', locale: 'en-GB', viewport: WIDE } as const
    const context = await (await openBrowser()).newContext({ ...shared, ...options })
    const page = await context.newPage()
    page.setDefaultTimeout(TIMEOUT_MS)
    const consoleErrors: string[] = []
    page.on('pageerror', (error) => consoleErrors.push(error.message))
    page.on('console', (message) => {
      if (message.type() === 'error') consoleErrors.push(message.text())
    })
    const window = { page, consoleErrors, visit: async (path: string) => void (await page.goto(`/dashboard${path}`)) }
    this.#opened.push(window)
    return window
  }

  /** A window for the running test. */
  async open(): Promise<Window> {
    const window = this.#free.pop() ?? (await this.openNew())
    onTestFinished(async () => {
      await reset(window)
      this.#free.push(window)
    })
    return window
  }

  async close(): Promise<void> {
    await Promise.all(this.#opened.map(({ page }) => page.context().close()))
  }
}

/** Leaves the page, which would load data again and again, and removes what the test has left. */
async function reset({ page, consoleErrors }: Window): Promise<void> {
  for (const event of ['dialog', 'request', 'response'] as const) page.removeAllListeners(event)
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await page.goto('/healthz')
  await page.evaluate('localStorage.clear(), sessionStorage.clear()')
  await page.context().clearCookies()
  await page.emulateMedia({ colorScheme: null })
  await page.setViewportSize(WIDE)
  consoleErrors.length = 0
}
