import type { BrowserContextOptions, Page } from 'playwright-core'
import { startServer, type TestServer } from '../../../server/test/support/server.ts'
import { openBrowser } from './browser.ts'

const TIMEOUT_MS = 20_000

export interface Owner {
  readonly email: string
  readonly password: string
}

export interface Dashboard {
  readonly server: TestServer
  /** Owner of the demo. */
  readonly owner: Owner
  /** A window without a session. */
  window(options?: BrowserContextOptions): Promise<Window>
  /** A window with a session of the operator. Default: the owner. */
  signedIn(operator?: Owner, options?: BrowserContextOptions): Promise<Window>
  close(): Promise<void>
}

export interface Window {
  readonly page: Page
  readonly consoleErrors: readonly string[]
  /** Opens a page of the dashboard: `/settings/operators`. */
  visit(path: string): Promise<void>
}

/** Starts a server with the demo and opens windows of a real browser. */
export async function startDashboard(env: Readonly<Record<string, string>> = {}): Promise<Dashboard> {
  const [server, browser] = await Promise.all([startServer(env, { passwords: undefined }), openBrowser()])
  const closers: (() => Promise<void>)[] = []

  const window = async (options: BrowserContextOptions = {}): Promise<Window> => {
    const context = await browser.newContext({ baseURL: server.base, reducedMotion: 'reduce', locale: 'en-GB', ...options })
    closers.push(() => context.close())
    const page = await context.newPage()
    page.setDefaultTimeout(TIMEOUT_MS)
    const consoleErrors: string[] = []
    page.on('pageerror', (error) => consoleErrors.push(error.message))
    page.on('console', (message) => {
      if (message.type() === 'error') consoleErrors.push(message.text())
    })
    return { page, consoleErrors, visit: async (path) => void (await page.goto(`/dashboard${path}`)) }
  }

  return {
    server,
    get owner() {
      return server.demo.dashboard
    },
    window,
    async signedIn(operator = server.demo.dashboard, options = {}) {
      const signedIn = await window(options)
      const { email, password } = operator
      const response = await signedIn.page.request.post('/auth/sign-in/email', {
        headers: { origin: server.base },
        data: { email, password },
      })
      if (!response.ok()) throw new Error(`${email} could not sign in: ${await response.text()}`)
      return signedIn
    },
    async close() {
      await Promise.all(closers.map((close) => close()))
      await server.close()
    },
  }
}
