import { setTimeout as sleep } from 'node:timers/promises'
import { prepareApplication } from '../admin.ts'
import { Load } from '../ha/load.ts'
import { startConversation } from '../ha/nodes.ts'
import { KillableNode, readDemo } from '../kills/node.ts'
import type { Postgres } from '../kills/postgres.ts'
import { type FaultView, viewFault } from './callers.ts'

const NODES = ['node 1', 'node 2', 'node 3']
/** Longer than the longest wait of a caller, so that every request that the fault has met is counted. */
const SETTLE_MS = 21_000

export interface FaultOptions {
  readonly postgres: Postgres
  readonly folder: string
  readonly providerPort: number
  readonly seconds: number
  /** Only faults whose name begins with this text. */
  readonly only: string
  readonly say: (line: string) => void
}

interface Fault {
  readonly name: (seconds: number) => string
  /** `node`: the first node. `all`: the database that all nodes use. */
  readonly part: 'none' | 'node' | 'all'
  /** Resolves when the fault is over. */
  readonly cause: (node: KillableNode, postgres: Postgres, ms: number) => Promise<void>
}

const FAULTS: readonly Fault[] = [
  { name: (seconds) => `none, ${seconds} s`, part: 'none', cause: (_node, _postgres, ms) => sleep(ms) },
  { name: (seconds) => `one node frozen for ${seconds} s`, part: 'node', cause: (node, _postgres, ms) => node.freeze(ms) },
  {
    name: (seconds) => `black hole between one node and the database for ${seconds} s`,
    part: 'node',
    cause: (node, _postgres, ms) => node.cutNetwork(ms),
  },
  { name: () => '`kill -9` of one node', part: 'node', cause: killNode },
  { name: (seconds) => `database hangs for ${seconds} s`, part: 'all', cause: (_node, postgres, ms) => postgres.freeze(ms) },
  {
    name: (seconds) => `database read-only for ${seconds} s`,
    part: 'all',
    cause: (_node, postgres, ms) => readOnly(postgres, ms),
  },
  { name: () => '`kill -9` of the database', part: 'all', cause: (_node, postgres) => restartDatabase(postgres) },
]

async function killNode(node: KillableNode): Promise<void> {
  await node.kill()
  await node.ready()
}

async function readOnly(postgres: Postgres, ms: number): Promise<void> {
  await postgres.query('alter system set default_transaction_read_only = on')
  await postgres.query('select pg_reload_conf()')
  await sleep(ms)
  await postgres.query('set default_transaction_read_only = off')
  await postgres.query('alter system reset default_transaction_read_only')
  await postgres.query('select pg_reload_conf()')
}

async function restartDatabase(postgres: Postgres): Promise<void> {
  await postgres.kill()
  await postgres.start()
}

/** Causes each fault under the same load on three nodes. */
export async function measureNodeFaults(stack: AsyncDisposableStack, options: FaultOptions): Promise<FaultView[]> {
  const { postgres, folder, providerPort, seconds, only, say } = options
  const server = { dataDir: `${folder}/nodes`, providerPort, logLevel: 'warn' }
  const nodes: KillableNode[] = []
  for (const name of NODES) {
    const node = await KillableNode.open({
      ...{
        name,
        server,
        databasePort: postgres.port,
        databaseUrl: (port) => postgres.url(port),
        onStart: () => {},
        onCrash: say,
      },
    })
    stack.defer(() => node.stop())
    node.start()
    await node.ready()
    nodes.push(node)
  }
  const demo = readDemo(server.dataDir)
  const entrances = nodes.map((node, index) => ({
    name: NODES[index] ?? '',
    server: {
      demo,
      get port() {
        return node.port
      },
    },
  }))
  const [first] = nodes
  const [entrance] = entrances
  if (!first || !entrance) throw new Error('there are no nodes')
  await prepareApplication(entrance.server)
  const load = new Load()
  stack.defer(() => load.stop())
  load.start(entrances, await startConversation(entrance.server))
  await sleep(SETTLE_MS)
  const views: FaultView[] = []
  for (const { name, part, cause } of FAULTS.filter((fault) => fault.name(seconds).startsWith(only))) {
    const from = performance.now()
    await cause(first, postgres, seconds * 1_000)
    const repaired = performance.now()
    await sleep(SETTLE_MS)
    views.push(viewFault(name(seconds), load.calls, { from, repaired }, part === 'node' ? entrance.name : undefined))
    say(JSON.stringify(views.at(-1), (_key, value) => (value instanceof Map ? [...value] : value)))
  }
  await load.stop()
  return views
}
