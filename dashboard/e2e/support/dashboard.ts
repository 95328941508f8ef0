import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { startServer, type TestServer } from '../../../server/test/support/server.ts'
import { openBrowser } from './browser.ts'

const PATIENCE_MS = 20_000

export interface Owner {
  readonly email: string
  readonly password: string
}

export interface Dashboard {
  readonly server: TestServer
  /** The owner that the demo comes with. */
  readonly owner: Owner
  /** A window of nobody's, on the sign-in page's origin; `complaints` collects what its console holds against the page. */
  window(options?: BrowserContextOptions): Promise<Window>
  /** A window in which somebody has signed in. */
  signedIn(who?: Owner, options?: BrowserContextOptions): Promise<Window>
  close(): Promise<void>
}

export interface Window {
  readonly page: Page
  readonly complaints: readonly string[]
  /** Opens a page of the dashboard: `/settings/operators`. */
  visit(path: string): Promise<void>
}

/** A real server with the demo in it, and the built dashboard in real windows. */
export async function startDashboard(env: Readonly<Record<string, string>> = {}): Promise<Dashboard> {
  const [server, browser] = await Promise.all([startServer(env), openBrowser()])
  const { dashboard: owner } = JSON.parse(readFileSync(join(server.config.dataDir, 'demo.json'), 'utf8')) as { dashboard: Owner }
  const open: (() => Promise<void>)[] = []

  const window = async (options: BrowserContextOptions = {}): Promise<Window> => {
    const context = await browser.newContext({ baseURL: server.base, reducedMotion: 'reduce', locale: 'en-GB', ...options })
    open.push(() => context.close())
    const page = await context.newPage()
    page.setDefaultTimeout(PATIENCE_MS)
    const complaints: string[] = []
    page.on('pageerror', (error) => complaints.push(error.message))
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text())
    })
    return { page, complaints, visit: async (path) => void (await page.goto(`/dashboard${path}`)) }
  }

  return {
    server,
    owner,
    window,
    async signedIn(who = owner, options = {}) {
      const opened = await window(options)
      const { email, password } = who
      const answer = await opened.page.request.post('/auth/sign-in/email', {
        headers: { origin: server.base },
        data: { email, password },
      })
      if (!answer.ok()) throw new Error(`${email} could not sign in: ${await answer.text()}`)
      return opened
    },
    async close() {
      await Promise.all(open.map((end) => end()))
      await server.close()
    },
  }
}
