import { setTimeout as sleep } from 'node:timers/promises'
import { expect, vi } from 'vitest'
import { postChat } from '../nodes.ts'
import { word } from '../scripted-provider.ts'
import type { LimitedNodes } from './nodes.ts'

/** Without a pause, reading would take as much CPU time as the load. While the counts do not change, for example until leases end, a longer one is enough. */
const WATCH_MS = 5
const IDLE_WATCH_MS = 50
const WAIT = { timeout: 60_000, interval: 100 }
/** Longer than the 11 tokens that the scripted provider reports, so that no request uses more than was set aside for it. */
const PROMPT = 'Please compare the invoices of March with those of April and list every difference.'
/** The completion that the scripted provider reports. */
const MAX_TOKENS = 7
/** Amounts are sums of numbers in binary, in USD. */
const ROUNDING = 1e-6

export interface BudgetCount {
  readonly spent: number
  readonly reserved: number
  readonly overrun: number
  readonly overruns: number
  readonly expired: number
}

/** The statuses that clients saw. `others`: statuses beside 200 and 429; 0: the node has ended. */
export interface Seen {
  readonly admitted: number
  readonly refused: number
  readonly others: readonly number[]
}

/** A new Application, the budgets of its Workspace, and clients that send chats to several nodes until a budget is used up. */
export async function budgetLoad(limited: LimitedNodes) {
  const unlimited = { requests_per_minute: 1_000_000, burst: 100_000, concurrency: 1_000 }
  const [{ id, key }, probe] = [await limited.application(unlimited), await limited.application(unlimited)]
  return {
    ...budgetsOf(limited, probe.key),
    charges: () => chargesOf(limited, id),
    /** Clients of each node send chats until a budget is used up or the node has ended. They wait as long as Retry-After says. */
    async run(nodes: readonly number[], clients: number): Promise<Seen> {
      const seen = { admitted: 0, refused: 0, others: [] as number[] }
      const client = async (node: number): Promise<void> => {
        for (let ended = false; !ended; ) {
          const { status, details } = await chat(limited, node, key)
          const waits = status === 429 && details?.reason === 'reserved'
          if (waits) await sleep(1_000)
          else if (status === 200) seen.admitted += 1
          else if (status === 429) seen.refused += 1
          else seen.others.push(status)
          ended = status !== 200 && !waits
        }
      }
      await Promise.all(nodes.flatMap((node) => Array.from({ length: clients }, () => client(node))))
      return seen
    },
    send: async (node: number, count: number): Promise<readonly number[]> =>
      Promise.all(Array.from({ length: count }, async () => (await chat(limited, node, key)).status)),
    /** Sends chats to a node that the provider does not answer, and resolves when it has all of them. */
    async hang(node: number, count: number): Promise<void> {
      const content = `${PROMPT} ${word()}`
      limited.provider.on(content, () => {})
      for (let sent = 0; sent < count; sent++) void chat(limited, node, key, content)
      await vi.waitFor(() => expect(limited.provider.callsWith(content)).toHaveLength(count), WAIT)
    },
  }
}

interface Answer {
  /** 0: the node has ended. */
  readonly status: number
  readonly details?: { readonly budget?: string; readonly reason?: string }
}

async function chat({ nodes }: LimitedNodes, node: number, key: string, content = PROMPT): Promise<Answer> {
  try {
    const response = await postChat(nodes[node]?.base, key, content, { max_tokens: MAX_TOKENS })
    const { error } = (await response.json()) as { error?: Pick<Answer, 'details'> }
    return { status: response.status, ...error }
  } catch {
    return { status: 0 }
  }
}

function budgetsOf(limited: LimitedNodes, probeKey: string) {
  const current = (budget: string): Promise<{ limit: number; current: BudgetCount }> => limited.admin('GET', `/budgets/${budget}`)
  return {
    /** Creates a budget of the Workspace and waits until all nodes count it. Returns its id. */
    async create({ unit, limit }: { readonly unit: 'usd' | 'tokens'; readonly limit: number }): Promise<string> {
      const name = word()
      const budget = await limited.admin('POST', '/budgets', { name, scope: 'workspace', unit, limit: 0, period: 'month' })
      const isRefused = async (node: number) =>
        expect(await chat(limited, node, probeKey), `node ${node}`).toMatchObject({ status: 429, details: { budget: name } })
      for (const node of limited.nodes.keys()) await vi.waitFor(() => isRefused(node), WAIT)
      await limited.admin('PATCH', `/budgets/${budget.id}`, { limit })
      return budget.id
    },
    disable: (budget: string) => limited.admin('PATCH', `/budgets/${budget}`, { enabled: false }),
    read: async (budget: string): Promise<BudgetCount> => (await current(budget)).current,
    /** Reads budgets until `stop`, which returns each count that was above its limit without an overrun. */
    watch(budgets: readonly string[]) {
      const above: BudgetCount[] = []
      let isStopped = false
      const watching = (async () => {
        for (let last = ''; !isStopped; )
          for (const budget of budgets) {
            const { limit, current: count } = await current(budget)
            if (count.spent + count.reserved > limit + count.overrun + ROUNDING) above.push(count)
            const seen = JSON.stringify(count)
            await sleep(seen === last ? IDLE_WATCH_MS : WATCH_MS)
            last = seen
          }
      })()
      return {
        stop: async () => {
          isStopped = true
          await watching
          return above
        },
      }
    },
  }
}

async function chargesOf({ admin }: LimitedNodes, application: string) {
  const sums = { requests: 0, cost: 0, tokens: 0 }
  let cursor = ''
  do {
    const page: RecordPage = await admin('GET', `/audit?application_id=${application}&limit=100${cursor}`)
    for (const { charge } of page.data) {
      if (charge === undefined) continue
      sums.requests += 1
      sums.cost += charge.cost
      sums.tokens += charge.tokens
    }
    cursor = page.next_cursor === null ? '' : `&cursor=${encodeURIComponent(page.next_cursor)}`
  } while (cursor !== '')
  return sums
}

interface RecordPage {
  readonly data: readonly { readonly charge?: { readonly cost: number; readonly tokens: number } }[]
  readonly next_cursor: string | null
}
