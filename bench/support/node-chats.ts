import { prepareApplication, publishPolicy } from './admin.ts'
import { chatBodies } from './chat-bodies.ts'
import { limitCpu } from './cpu-limit.ts'
import { type Gatehouse, startGatehouse } from './gatehouse.ts'
import { type Helper, startHelper } from './helper-process.ts'
import type { LoadCall, LoadResult, LoadSpec } from './load-run.ts'
import { FORTY_RULES } from './policy.ts'
import type { Rig } from './rig.ts'
import { createScratchDatabase } from './scratch-database.ts'

/** Governed chats of one Workspace on `nodes` nodes with `cores` each: answers a second of each round. */
export interface ChatFigures {
  readonly nodes: number
  readonly rates: readonly number[]
}

interface Plan {
  readonly postgres: string
  /** CPU of one node. */
  readonly cores: number
  /** Rounds for each number of nodes, in turns. */
  readonly rounds: number
  readonly seconds: number
}

const NODES = [1, 2] as const
const CONNECTIONS = 16
const WITHOUT_RATE_LIMIT = { script: new URL('./without-rate-limit.ts', import.meta.url), args: [] }

/** Two nodes on one database; the load goes to the first one, and to both. */
export async function measureChats(stack: AsyncDisposableStack, rig: Rig, plan: Plan): Promise<ChatFigures[]> {
  const database = stack.use(await createScratchDatabase(plan.postgres))
  const options = { dataDir: `${rig.folder}/chats`, providerPort: rig.provider.port, databaseUrl: database.url }
  const servers: Gatehouse[] = []
  const loads: Helper[] = []
  for (const _ of NODES) {
    const server = await startGatehouse({ ...options, program: WITHOUT_RATE_LIMIT })
    const limit = limitCpu(server.pid, plan.cores)
    stack.defer(async () => {
      await server.stop()
      limit[Symbol.dispose]()
    })
    servers.push(server)
    loads.push(stack.use(await startHelper(new URL('./load.ts', import.meta.url))))
  }
  const [first] = servers
  if (!first) throw new Error('no node has started')
  await prepareApplication(first)
  await publishPolicy(first, FORTY_RULES)
  const calls: LoadCall[] = chatBodies(100).map((body) => ({
    ...{ method: 'POST', path: '/v1/chat/completions', body },
    headers: { authorization: `Bearer ${first.demo.applications[0]?.api_key}` },
  }))
  const rateOf = async (nodes: number, seconds: number): Promise<number> => {
    const spec = { calls, status: 200, connections: CONNECTIONS, requests: 1e6, seconds }
    const results = await Promise.all(
      servers.slice(0, nodes).map(({ port }, index) => loads[index]?.ask<LoadResult>({ port, ...spec } satisfies LoadSpec)),
    )
    return results.reduce((sum, result) => sum + (result ? result.answers / result.seconds : 0), 0)
  }
  // V8 compiles during the first ten thousand requests.
  await rateOf(NODES.length, plan.seconds * 4)
  const rates = NODES.map((): number[] => [])
  for (let round = 0; round < plan.rounds; round++)
    for (const [index, nodes] of NODES.entries()) rates[index]?.push(await rateOf(nodes, plan.seconds))
  return NODES.map((nodes, index) => ({ nodes, rates: rates[index] ?? [] }))
}
