import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startTcpRelay } from '../../../server/test/support/tcp-relay.ts'
import { prepareApplication } from '../admin.ts'
import { type GatehouseOptions, startGatehouse } from '../gatehouse.ts'
import { startHelper } from '../helper-process.ts'
import { MessagingCrashClient } from '../messaging-crash-client.ts'
import type { Cluster } from './cluster.ts'
import type { Conversation, LoadNode } from './load.ts'

export interface Nodes {
  readonly all: readonly LoadNode[]
  /** The network between the second node and the database. */
  readonly network: Awaited<ReturnType<typeof startTcpRelay>>
  readonly conversation: Conversation
  /** Options of a server on the database of the cluster, for commands. */
  readonly options: GatehouseOptions
}

const PROVIDER = new URL('../provider.ts', import.meta.url)

/** Starts two nodes on the cluster through PgBouncer; the second reaches it through a relay that can drop everything. */
export async function startNodes(stack: AsyncDisposableStack, cluster: Cluster): Promise<Nodes> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-ha-nodes-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  const provider = stack.use(await startHelper(PROVIDER))
  const network = await startTcpRelay({ host: '127.0.0.1', port: cluster.pgbouncer.port })
  stack.defer(() => network.close())
  const through = (port: number): GatehouseOptions => ({
    dataDir: join(folder, 'data'),
    providerPort: provider.port,
    databaseUrl: cluster.url('gatehouse', port),
    logLevel: 'warn',
    env: {
      GATEHOUSE_DATABASE_SESSION_URL: cluster.url('gatehouse_session', port),
      GATEHOUSE_DATABASE_READ_URL: cluster.url('gatehouse_read', port),
    },
  })
  const options = through(cluster.pgbouncer.port)
  const first = stack.use(await startGatehouse(options))
  await prepareApplication(first)
  const second = stack.use(await startGatehouse(through(network.port)))
  const all = [
    { name: 'node 1', server: first },
    { name: 'node 2', server: second },
  ]
  return { all, network, options, conversation: await startConversation(first) }
}

/** Creates a user with a conversation. */
export async function startConversation(server: LoadNode['server']): Promise<Conversation> {
  const client = new MessagingCrashClient(server)
  try {
    const { id: userId, token } = await client.createUser('skipper')
    const { id: groupId } = await client.callOk<{ id: string }>('POST', '/v1/groups', token, {
      name: 'Harbour',
      contacts: [userId],
    })
    const { id } = await client.callOk<{ id: string }>('POST', '/v1/conversations', token, { group_id: groupId })
    return { id, token }
  } finally {
    await client.close()
  }
}
