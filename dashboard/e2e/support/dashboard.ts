import { afterAll } from 'vitest'
import type { Role } from '../../../server/src/shared/operator.ts'
import { type Admin, adminClient } from '../../../server/test/admin/client.ts'
import { type ChatOptions, gatewayClient } from '../../../server/test/support/gateway-client.ts'
import { Browser, signInOperator } from '../../../server/test/support/operators.ts'
import { startScriptedProvider } from '../../../server/test/support/scripted-provider.ts'
import { startServer, type TestServer } from '../../../server/test/support/server.ts'
import { NARROW, type Window, Windows } from './browser.ts'

export type Dashboard = Awaited<ReturnType<typeof startDashboard>>

interface SignIn {
  readonly role?: Role
  readonly isNarrow?: boolean
  readonly window?: Window
  /** The page to open. */
  readonly at?: string
}

/** Starts a server with the demo for the test file, and opens windows of a real browser. */
export async function startDashboard(env: Readonly<Record<string, string>> = {}) {
  const server = await startServer(env)
  const windows = new Windows(server.base)
  afterAll(async () => {
    await windows.close()
    await server.close()
  })
  let ofOwner: Promise<Browser> | undefined
  return {
    server,
    windows,
    /** Owner of the demo. */
    get owner() {
      return server.demo.dashboard
    },
    get admin(): Admin {
      return adminClient(server)
    },
    /** Sends a chat of alice. `more`: further fields of the body. */
    chat: (content: string, more?: Readonly<Record<string, unknown>>, options?: ChatOptions) =>
      gatewayClient(server).chat(content, { model: 'demo-mini', governance: { user: { id: 'alice' } }, ...more }, options),
    /** A window for the running test with a session: of a new operator with the role, or of the demo's owner. */
    async signedIn({ role, isNarrow = false, window, at }: SignIn = {}): Promise<Window> {
      const opened = window ?? (await windows.open())
      ofOwner ??= signInOwner(server)
      const { cookie } = role ? (await signInOperator(server, role)).browser : await ofOwner
      const cookies = cookie.split('; ').map((one) => one.split('=') as [string, string])
      await opened.page.context().addCookies(cookies.map(([name, value]) => ({ name, value, url: server.base })))
      if (isNarrow) await opened.page.setViewportSize(NARROW)
      if (at !== undefined) await opened.visit(at)
      return opened
    },
  }
}

async function signInOwner({ base, demo }: TestServer): Promise<Browser> {
  const browser = new Browser(base)
  const { status, text } = await browser.signIn(demo.dashboard.email, demo.dashboard.password)
  if (status !== 200) throw new Error(`the owner could not sign in: ${text}`)
  return browser
}

/** A dashboard whose server calls a scripted provider (`gpt-demo`). */
export async function startScriptedDashboard() {
  const upstream = await startScriptedProvider()
  afterAll(() => upstream.close())
  const env = { OPENAI_API_KEY: 'sk-scripted', OPENAI_BASE_URL: upstream.url, OPENAI_MODELS: 'gpt-demo' }
  return Object.assign(await startDashboard(env), { upstream })
}
