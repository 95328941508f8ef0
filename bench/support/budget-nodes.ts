import { setTimeout as sleep } from 'node:timers/promises'
import { callAdmin, prepareApplication, publishPolicy } from './admin.ts'
import { chatBodies, MODEL } from './chat-bodies.ts'
import { type Gatehouse, startGatehouse } from './gatehouse.ts'
import { type Helper, startHelper } from './helper-process.ts'
import type { LoadResult, LoadSpec } from './load-run.ts'
import { MANY_CONNECTIONS, measure, type Round } from './measure.ts'
import { FORTY_RULES } from './policy.ts'
import type { Rig } from './rig.ts'
import { createScratchDatabase, type ScratchDatabase } from './scratch-database.ts'

/**
 * `none`: no budget. `hot`: all requests are counted by one row. `hundred`: a budget for each of 100 users, of which one counts a request.
 * `hotAsking` and `hundredAsking`: the same on servers without slices.
 */
export const VARIANTS = ['none', 'hot', 'hotAsking', 'hundred', 'hundredAsking'] as const
export type Variant = (typeof VARIANTS)[number]

const WITHOUT_SLICES = { script: new URL('./without-budget-slices.ts', import.meta.url), args: [] }
const USERS = 100
/** More than any run spends. */
const ENOUGH = 1_000_000
/** A node knows a change of budgets after a second at the latest. */
const KNOWN_MS = 1_500

const BODIES = chatBodies(500, { max_tokens: 200 }).map((body, index) =>
  JSON.stringify({ ...JSON.parse(body), governance: { user: { id: `user-${index % USERS}`, role: 'clerk' } } }),
)

/** Servers on one PostgreSQL with a load generator for each. */
export interface BudgetNodes {
  readonly first: Gatehouse
  readonly servers: readonly Gatehouse[]
  /** Servers without slices of budgets. */
  readonly asking: readonly Gatehouse[]
  readonly loads: readonly Helper[]
  readonly database: ScratchDatabase
}

/** Starts the servers and stops them with `stack`. */
export async function startBudgetNodes(
  stack: AsyncDisposableStack,
  rig: Rig,
  postgres: string,
  count: number,
): Promise<BudgetNodes> {
  const database = stack.use(await createScratchDatabase(postgres))
  const options = { dataDir: `${rig.folder}/budgets`, providerPort: rig.provider.port, databaseUrl: database.url }
  const servers: Gatehouse[] = []
  const asking: Gatehouse[] = []
  for (let node = 0; node < count; node++) {
    servers.push(stack.use(await startGatehouse(options)))
    asking.push(stack.use(await startGatehouse({ ...options, program: WITHOUT_SLICES })))
  }
  const loads: Helper[] = []
  for (let node = 0; node < count; node++) loads.push(stack.use(await startHelper(new URL('./load.ts', import.meta.url))))
  const [first] = servers
  if (first === undefined) throw new Error('there must be a node')
  await prepareApplication(first)
  await publishPolicy(first, FORTY_RULES)
  await callAdmin(first, 'PUT', `/providers/openai/models/${MODEL}`, { json: { input_price: 1, output_price: 4 } })
  return { first, servers, asking, loads, database }
}

/** Creates the budgets of the variants, disabled. Returns a function that enables those of one variant only. */
export async function createVariants({ first }: BudgetNodes) {
  const create = async (name: string, more: object): Promise<string> => {
    const json = { name, unit: 'usd', limit: ENOUGH, period: 'month', enabled: false, ...more }
    return ((await callAdmin(first, 'POST', '/budgets', { json })) as { id: string }).id
  }
  const hot = [await create('hot', { scope: 'workspace' })]
  const hundred: string[] = []
  for (let user = 0; user < USERS; user++) hundred.push(await create(`user ${user}`, { scope: 'user', member: `user-${user}` }))
  const budgets: Record<Variant, string[]> = { none: [], hot, hotAsking: hot, hundred, hundredAsking: hundred }
  let enabled: Variant = 'none'
  const set = async (variant: Variant, isEnabled: boolean): Promise<void> => {
    for (const id of budgets[variant]) await callAdmin(first, 'PATCH', `/budgets/${id}`, { json: { enabled: isEnabled } })
  }
  return async (variant: Variant): Promise<void> => {
    await set(enabled, false)
    await set(variant, true)
    enabled = variant
    await sleep(KNOWN_MS)
  }
}

/** Chats of servers of the same database at once, each at `MANY_CONNECTIONS`, as one round. CPU of the database counts all its connections. */
export async function measureChats(
  { loads, database }: Pick<BudgetNodes, 'loads' | 'database'>,
  servers: readonly Gatehouse[],
  seconds: number,
): Promise<Round> {
  const size = { requests: 1e6, seconds }
  const rounds = await Promise.all(
    servers.map(({ pid, port, demo }, node) => {
      const headers = { authorization: `Bearer ${demo.applications[0]?.api_key}` }
      const helpers = async () => (node === 0 ? database.backends() : [])
      return measure(loads[node] as Helper, { pid, port, headers, helpers }, BODIES, size, MANY_CONNECTIONS)
    }),
  )
  const answers = rounds.reduce((sum, round) => sum + round.answers, 0)
  const perAnswer = (figure: (round: Round) => number) =>
    rounds.reduce((sum, round) => sum + figure(round) * round.answers, 0) / answers
  return {
    ...{ cpu: perAnswer(({ cpu }) => cpu), mainCpu: perAnswer(({ mainCpu }) => mainCpu) },
    ...{ helperCpu: perAnswer(({ helperCpu }) => helperCpu), rate: rounds.reduce((sum, { rate }) => sum + rate, 0) },
    ...{ p50: perAnswer(({ p50 }) => p50), p95: perAnswer(({ p95 }) => p95), p99: Math.max(...rounds.map(({ p99 }) => p99)) },
    answers,
  }
}

/** What nodes admitted of a new budget of the Workspace under load until it was used up. */
export interface Admitted {
  /** Spent ÷ limit. */
  readonly share: number
  readonly answers: number
  readonly refused: number
}

/** `limit`: in the unit of the budget. The load ends after `seconds`, in which the limit must be used up. */
export async function useUp(nodes: BudgetNodes, unit: 'usd' | 'tokens', limit: number, seconds: number): Promise<Admitted> {
  const { first, servers, loads } = nodes
  const json = { name: `${unit} ${limit}`, scope: 'workspace', unit, limit, period: 'month' }
  const { id } = (await callAdmin(first, 'POST', '/budgets', { json })) as { id: string }
  await sleep(KNOWN_MS)
  const results = await Promise.all(
    servers.map(({ port, demo }, node) => {
      const headers = { authorization: `Bearer ${demo.applications[0]?.api_key}` }
      const calls = BODIES.map((body) => ({ method: 'POST' as const, path: '/v1/chat/completions', headers, body }))
      const spec: LoadSpec = { port, calls, status: 200, connections: MANY_CONNECTIONS, requests: 1e6, seconds }
      return (loads[node] as Helper).ask<LoadResult>(spec)
    }),
  )
  const { current } = (await callAdmin(first, 'GET', `/budgets/${id}`)) as { current: { spent: number } }
  await callAdmin(first, 'PATCH', `/budgets/${id}`, { json: { enabled: false } })
  const sum = (of: (result: LoadResult) => number) => results.reduce((total, result) => total + of(result), 0)
  return {
    share: current.spent / limit,
    answers: sum(({ answers }) => answers),
    refused: sum(({ refused }) => refused),
  }
}
