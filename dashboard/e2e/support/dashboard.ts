import { afterAll } from 'vitest'
import type { Role } from '../../../server/src/shared/operator.ts'
import { type Admin, adminClient } from '../../../server/test/admin/client.ts'
import { type ChatOptions, type GatewayResponse, gatewayClient } from '../../../server/test/support/gateway-client.ts'
import { Browser, signInOperator } from '../../../server/test/support/operators.ts'
import { type ScriptedProvider, startScriptedProvider } from '../../../server/test/support/scripted-provider.ts'
import { startServer, type TestServer } from '../../../server/test/support/server.ts'
import { NARROW, type Window, Windows } from './browser.ts'

export interface Owner {
  readonly email: string
  readonly password: string
}

export interface Dashboard {
  readonly server: TestServer
  readonly windows: Windows
  /** Owner of the demo. */
  readonly owner: Owner
  readonly admin: Admin
  /** Sends a chat of alice. `more`: further fields of the body. */
  chat(content: string, more?: Readonly<Record<string, unknown>>, options?: ChatOptions): Promise<GatewayResponse>
  /** A window for the running test with a session: of a new operator with the role, or of the demo's owner. */
  signedIn(as?: { readonly role?: Role; readonly isNarrow?: boolean; readonly window?: Window }): Promise<Window>
}

/** Starts a server with the demo for the test file, and opens windows of a real browser. */
export async function startDashboard(env: Readonly<Record<string, string>> = {}): Promise<Dashboard> {
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
    get owner() {
      return server.demo.dashboard
    },
    get admin() {
      return adminClient(server)
    },
    chat: (content, more, options) =>
      gatewayClient(server).chat(content, { model: 'demo-mini', governance: { user: { id: 'alice' } }, ...more }, options),
    async signedIn({ role, isNarrow = false, window } = {}) {
      const opened = window ?? (await windows.open())
      ofOwner ??= signInOwner(server)
      const { cookie } = role ? (await signInOperator(server, role)).browser : await ofOwner
      const cookies = cookie.split('; ').map((one) => one.split('=') as [string, string])
      await opened.page.context().addCookies(cookies.map(([name, value]) => ({ name, value, url: server.base })))
      if (isNarrow) await opened.page.setViewportSize(NARROW)
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
export async function startScriptedDashboard(): Promise<Dashboard & { readonly upstream: ScriptedProvider }> {
  const upstream = await startScriptedProvider()
  afterAll(() => upstream.close())
  const env = { OPENAI_API_KEY: 'sk-scripted', OPENAI_BASE_URL: upstream.url, OPENAI_MODELS: 'gpt-demo' }
  return Object.assign(await startDashboard(env), { upstream })
}
