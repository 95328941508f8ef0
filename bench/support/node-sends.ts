import { prepareApplication, publishPolicy } from './admin.ts'
import { chatBodies } from './chat-bodies.ts'
import { limitCpu } from './cpu-limit.ts'
import { fillMessages, type Sample } from './fill-messages.ts'
import { type Gatehouse, startGatehouse } from './gatehouse.ts'
import { type Helper, startHelper } from './helper-process.ts'
import type { LoadCall, LoadResult, LoadSpec } from './load-run.ts'
import { MESSAGE_RULES } from './policy.ts'
import type { Rig } from './rig.ts'
import { createScratchDatabase } from './scratch-database.ts'

/** Governed sends in one Workspace, with chats beside them. */
export interface SendFigures {
  readonly nodes: number
  /** Sends a second over all nodes, without chats. */
  readonly sends: number
  /** 99th percentile of chats in milliseconds: alone, and beside sends. */
  readonly chatsAlone: number
  readonly chatsBeside: number
}

interface Plan {
  readonly postgres: string
  /** The address of the database for the servers: the database itself, or a relay. */
  readonly through: (url: string) => Promise<string>
  readonly nodes: readonly number[]
  readonly seconds: number
  /** CPU of one node; undefined: no limit. */
  readonly cores: number | undefined
}

const WITHOUT_RATE_LIMIT = { script: new URL('./without-rate-limit.ts', import.meta.url), args: [] }
const AMOUNT = { messages: 4_000, conversations: 200 }
const SENDERS = 24
const CHATTERS = 4

/** Starts the largest number of servers on a new database and measures with the first one, two … of them. */
export async function measureSends(stack: AsyncDisposableStack, rig: Rig, plan: Plan): Promise<SendFigures[]> {
  const database = stack.use(await createScratchDatabase(plan.postgres))
  const options = {
    dataDir: `${rig.folder}/${database.url.split('/').at(-1)}`,
    providerPort: rig.provider.port,
    databaseUrl: database.url,
  }
  const first = await startGatehouse(options)
  await prepareApplication(first)
  await publishPolicy(first, MESSAGE_RULES)
  await first.stop()
  const { samples } = await fillMessages(options, AMOUNT)
  const url = await plan.through(database.url)
  const servers: Gatehouse[] = []
  for (let node = 0; node < Math.max(...plan.nodes); node++) {
    const server = await startGatehouse({ ...options, databaseUrl: url, program: WITHOUT_RATE_LIMIT })
    const limit = plan.cores === undefined ? undefined : limitCpu(server.pid, plan.cores)
    stack.defer(async () => {
      await server.stop()
      limit?.[Symbol.dispose]()
    })
    servers.push(server)
  }
  const loads: Helper[] = []
  for (const _ of servers) loads.push(stack.use(await startHelper(new URL('./load.ts', import.meta.url))))
  const figures: SendFigures[] = []
  for (const nodes of plan.nodes) figures.push(await measureNodes(servers.slice(0, nodes), loads, rig, samples, plan.seconds))
  return figures
}

async function measureNodes(
  servers: readonly Gatehouse[],
  loads: readonly Helper[],
  rig: Rig,
  samples: readonly Sample[],
  seconds: number,
): Promise<SendFigures> {
  const chat = (time: number) =>
    rig.load.ask<LoadResult>({
      port: servers[0]?.port ?? 0,
      calls: chatCalls(servers[0]),
      status: 200,
      connections: CHATTERS,
      requests: 1e6,
      seconds: time,
    } satisfies LoadSpec)
  const send = async (time: number): Promise<number> => {
    const spec = { calls: sendCalls(samples), status: 201, connections: SENDERS / servers.length, requests: 1e6, seconds: time }
    const results = await Promise.all(
      servers.map(({ port }, index) => loads[index]?.ask<LoadResult>({ port, ...spec } satisfies LoadSpec)),
    )
    const refused = results.find((result) => result && result.refused > 0)
    if (refused) throw new Error(`a send was refused: ${refused.refusal}`)
    return results.reduce((sum, result) => sum + (result ? result.answers / result.seconds : 0), 0)
  }
  await Promise.all([chat(2), send(2)])
  const chatsAlone = (await chat(seconds)).p99
  const sends = await send(seconds)
  const [beside] = await Promise.all([chat(seconds), send(seconds)])
  return { nodes: servers.length, sends, chatsAlone, chatsBeside: beside.p99 }
}

const chatCalls = (server: Gatehouse | undefined): LoadCall[] =>
  chatBodies(32).map((body) => ({
    ...{ method: 'POST', path: '/v1/chat/completions', body },
    headers: { authorization: `Bearer ${server?.demo.applications[0]?.api_key}` },
  }))

const sendCalls = (samples: readonly Sample[]): LoadCall[] =>
  samples.map(({ conversationId, token }) => ({
    ...{ method: 'POST', path: '/v1/messages' },
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify({ conversation_id: conversationId, message: 'The minutes of the meeting are in the shared folder.' }),
  }))
