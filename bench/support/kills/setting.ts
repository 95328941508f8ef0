import { basename, join } from 'node:path'
import { publishPolicy } from '../admin.ts'
import { MODEL } from '../chat-bodies.ts'
import { type CountingProvider, startCountingProvider } from '../counting-provider.ts'
import { CRASH_RULES } from '../crash-actions.ts'
import { freePort } from '../free-port.ts'
import type { GatehouseOptions } from '../gatehouse.ts'
import { MessagingCrashClient } from '../messaging-crash-client.ts'
import { seeded } from '../random.ts'
import { KillLedger, type Setup } from './ledger.ts'
import { USERS } from './messages.ts'
import { type Demo, KillableNode, readDemo } from './node.ts'
import { Postgres } from './postgres.ts'
import { findPrograms } from './postgres-programs.ts'

const NODES = 3
const MESSAGE_RULES =
  '  - {id: no-match, at: [message], when: \'content.text.contains("phrase of no message")\', verdict: deny}\n'

interface SettingOptions {
  readonly folder: string
  readonly seed: number
  /** URL of a PostgreSQL on this machine, whose programs start the cluster. */
  readonly postgres: string
}

/** The servers of a run: three nodes, their database and a provider. */
export interface Setting {
  readonly nodes: readonly KillableNode[]
  readonly postgres: Postgres
  readonly provider: CountingProvider
  readonly demo: Demo
  readonly ledger: KillLedger
  /** Of a server on the database without a relay, for commands. */
  readonly options: GatehouseOptions
  /** Removes the data after everything has stopped. */
  readonly remove: () => void
}

/** Starts the servers of a run. `stack` stops them. */
export async function openSetting(
  stack: AsyncDisposableStack,
  { folder, seed, postgres: url }: SettingOptions,
): Promise<Setting> {
  const provider = stack.use(await startCountingProvider(seeded(seed)))
  const programs = await findPrograms(url)
  const data = programs.temporary(`${basename(folder)}-database`)
  const postgres = new Postgres(programs, { data, port: await freePort(), log: join(folder, 'database.log') })
  stack.defer(() => postgres.stop())
  await postgres.create()
  const ledger = new KillLedger()
  const server = { dataDir: join(folder, 'data'), providerPort: provider.port, logLevel: 'warn' }
  const nodes = await openNodes(stack, ledger, { server, postgres })
  const demo = readDemo(server.dataDir)
  ledger.setup = await prepare({ port: nodes[0]?.port ?? 0, demo })
  const options = { ...server, databaseUrl: postgres.url() }
  return { nodes, postgres, provider, demo, ledger, options, remove: () => postgres.remove() }
}

interface NodeSetting {
  readonly server: Omit<GatehouseOptions, 'databaseUrl'>
  readonly postgres: Postgres
}

/** The first node prepares the database before the others start. */
async function openNodes(
  stack: AsyncDisposableStack,
  ledger: KillLedger,
  { server, postgres }: NodeSetting,
): Promise<KillableNode[]> {
  const nodes: KillableNode[] = []
  for (let index = 1; index <= NODES; index++) {
    const node = await KillableNode.open({
      ...{ name: `node ${index}`, server, databasePort: postgres.port },
      databaseUrl: (port) => postgres.url(port),
      onCrash: (problem) => ledger.violated(problem),
    })
    stack.defer(() => node.stop())
    node.start()
    if (index === 1) await node.ready()
    nodes.push(node)
  }
  for (const node of nodes) await node.ready()
  return nodes
}

/** Publishes policies, limits, prices and budgets, and creates users who share a conversation. */
async function prepare(server: { port: number; demo: Demo }): Promise<Setup> {
  await publishPolicy(server, CRASH_RULES + MESSAGE_RULES)
  const client = new MessagingCrashClient(server)
  try {
    const limits = { requests_per_minute: 1_000_000, burst: 100_000, concurrency: 1_000 }
    const withMemory = { enabled: true, capture: 'off', assertion_scopes: ['application'] }
    const settings = [{ enabled: false, capture: 'off' }, withMemory].map((memory) => ({ knowledge: { enabled: false }, memory }))
    for (const [index, setting] of settings.entries())
      await client.callOk('PATCH', `/admin/v1/applications/${server.demo.applications[index]?.id}`, undefined, {
        ...{ limits, settings: setting, models: null, providers: null },
      })
    await client.callOk('PUT', `/admin/v1/providers/openai/models/${MODEL}`, undefined, { input_price: 3, output_price: 15 })
    const budgets = []
    for (const unit of ['usd', 'tokens'] as const) {
      const body = { name: `All ${unit}`, scope: 'workspace', unit, limit: 1_000_000_000, period: 'month' }
      const { id } = await client.callOk<{ id: string }>(
        'POST',
        '/admin/v1/budgets',
        undefined,
        unit === 'usd' ? { ...body, limit: 1_000_000 } : body,
      )
      budgets.push({ id, unit })
    }
    const users = []
    for (let index = 0; index < USERS; index++) users.push(await client.createUser(`kills-${index}`))
    const owner = users[0]?.token
    const group = { name: 'Kills', contacts: users.map(({ id }) => id) }
    const { id: group_id } = await client.callOk<{ id: string }>('POST', '/v1/groups', owner, group)
    const { id: conversation } = await client.callOk<{ id: string }>('POST', '/v1/conversations', owner, { group_id })
    return { conversation, users, budgets }
  } finally {
    await client.close()
  }
}
