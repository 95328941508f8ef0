import type { IncomingMessage } from 'node:http'
import type { Context } from '../../src/context.ts'
import { UserRateLimiter } from '../../src/domains/messaging/people/user-rate-limiter.ts'
import { seedKnowledge, seedMemories, seedMessaging } from '../../src/tools/demo/demo-contents.ts'
import { demoDeclaration } from '../../src/tools/demo/demo-declaration.ts'
import { seedPolicyTests } from '../../src/tools/demo/demo-extras.ts'
import { issueUserTokens, listDemoApplications, newDemoKeys, revokeMarkedKeys, withKeys } from '../../src/tools/demo/demo-seed.ts'
import { generateUserTokenKeys } from '../../src/tools/demo/user-tokens.ts'
import { applyWorkspace } from '../../src/tools/setup/apply-workspace.ts'
import { syncEnvironmentProviders } from '../../src/tools/setup/environment-sync.ts'
import { publishChanges, setupTransaction } from '../../src/tools/setup/recorded-change.ts'
import type { Demo } from './demo.ts'
import { type Governed, prepareGoverned, providerEnvironment } from './governed.ts'
import { type MessagingServer, prepareMessaging } from './messenger.ts'
import { type ScriptedProvider, startScriptedProvider, word } from './scripted-provider.ts'
import { startServer, type TestServer } from './server.ts'

/** Creates a Workspace with the content of the demo: Applications, keys, users, policies, documents, memories, an assistant. */
async function seedDemoWorkspace(context: Context): Promise<Pick<Demo, 'workspace' | 'applications' | 'users'>> {
  const { privateJwk, publicJwk } = await generateUserTokenKeys()
  const declared = { ...demoDeclaration({ keys: [publicJwk] }), name: `demo ${word()}` }
  const keys = newDemoKeys(declared)
  const now = context.clock.now()
  const seeded = await setupTransaction(context.database.db, async (tx) => {
    const { workspaceId, changes } = await applyWorkspace(tx, withKeys(declared, keys), now, context, {
      finish: async (scope) => {
        await revokeMarkedKeys(scope, keys)
        await seedPolicyTests(scope)
        return [...(await seedKnowledge(scope)), ...(await seedMemories(scope)), ...(await seedMessaging(scope))]
      },
    })
    const demo = {
      workspace: { id: workspaceId, name: declared.name },
      applications: await listDemoApplications(tx, workspaceId, keys),
      users: await issueUserTokens(tx, workspaceId, declared.users, privateJwk, now),
    }
    return { changes, demo }
  })
  await publishChanges(context.database.signal, seeded.demo.workspace.id, seeded.changes)
  return seeded.demo
}

/** Tests send faster than users. */
const UNLIMITED = { perMinute: 6_000_000, capacity: 100_000 }

interface Shared {
  readonly server: TestServer
  readonly provider: ScriptedProvider
  /** The Workspace of the running test file. */
  workspaceId: string
}

let started: Promise<Shared> | undefined

/** One server per worker (`isolate: false` keeps modules), because starting one takes longer than most test files. */
const shared = (): Promise<Shared> => (started ??= start())

async function start(): Promise<Shared> {
  const provider = await startScriptedProvider()
  const environment = { GATEHOUSE_ALLOW_PRIVATE_URLS: '1', ...providerEnvironment(provider) }
  const server = await startServer(environment, { userRateLimiter: new UserRateLimiter({ send: UNLIMITED, other: UNLIMITED }) })
  const started = { server, provider, workspaceId: server.demo.workspace.id }
  // Without this an admin request without a Workspace would use the server's first one.
  server.app.server.prependListener('request', ({ headers }: IncomingMessage) => {
    headers['x-gatehouse-workspace'] ??= started.workspaceId
  })
  return started
}

/**
 * The worker's server with a new Workspace that has the content of the demo. For files that need no own environment, clock or
 * database and read only their Workspace. Other files call `startServer`.
 */
export async function sharedServer(): Promise<TestServer> {
  const opened = await shared()
  const { server, provider } = opened
  provider.reset()
  const demo = { ...server.demo, ...(await seedDemoWorkspace(server.context)) }
  opened.workspaceId = demo.workspace.id
  const logged = server.logs().length
  return { ...server, demo, logs: () => server.logs().slice(logged), close: async () => {} }
}

/** As `startGoverned`, on the worker's server. */
export async function sharedGoverned(): Promise<Governed> {
  const server = await sharedServer()
  const { config, secrets, log, invokeDeps } = server.context
  await syncEnvironmentProviders(server.demo.workspace.id, {
    ...server.context,
    config,
    pools: invokeDeps.pools,
    warn: (text) => log.warn(text),
    fromEnvironment: secrets.fromEnvironment,
  })
  const { provider } = await shared()
  return prepareGoverned(server, { ...provider, close: async () => {} })
}

/** As `startMessenger`, on the worker's server. */
export const sharedMessagingServer = async (): Promise<MessagingServer> => prepareMessaging(await sharedGoverned())
