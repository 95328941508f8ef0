import { setTimeout as sleep } from 'node:timers/promises'
import type { Demo } from './demo.ts'

const PAUSE_MS = 50
/** The demo's policy holds this prompt. */
const HELD_PROMPT = 'Please transfer 12,000 euros to account 4711 today.'

interface LoadReport {
  /** Requests with the expected response, by kind. */
  readonly succeeded: Readonly<Record<string, number>>
  /** Kind, status and text of each other response. */
  readonly failed: readonly string[]
}

/** A request of the load: method, path below the server, token, body, and the status that it expects. */
interface Sent {
  readonly kind: string
  readonly method?: string
  readonly path: string
  readonly token: string | undefined
  readonly body?: object
  readonly status?: number
}

/** Sends requests and counts the responses. */
class Recorder {
  readonly #base: string
  readonly failed: string[] = []
  readonly succeeded: Record<string, number> = {}

  constructor(base: string) {
    this.#base = base
  }

  /** Returns the text of the expected response, and undefined for any other. */
  async send({ kind, method = 'POST', path, token, body, status = 200 }: Sent): Promise<string | undefined> {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    try {
      const response = await fetch(`${this.#base}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
      const text = await response.text()
      if (response.status === status) {
        this.succeeded[kind] = (this.succeeded[kind] ?? 0) + 1
        return text
      }
      this.failed.push(`${kind} ${response.status} ${text.slice(0, 300)}`)
    } catch (error) {
      this.failed.push(`${kind} ${String((error as Error).cause ?? error)}`)
    }
    return undefined
  }
}

type Actor = (recorder: Recorder, demo: Demo, turn: number) => Promise<void>

const prompt = (content: string, more: object = {}) => ({
  model: 'demo-mini',
  messages: [{ role: 'user', content }],
  ...more,
})
const chat = (kind: string, { applications }: Demo, body: object, status = 200): Sent => ({
  kind,
  path: '/v1/chat/completions',
  token: applications[0]?.api_key,
  body,
  status,
})
const tokenOf = ({ users }: Demo, id: string) => users.find((user) => user.id === id)?.access_token
const parse = (text: string | undefined) =>
  text === undefined ? undefined : (JSON.parse(text) as { id?: string; error?: { review_item_id?: string } })

const ACTORS: readonly Actor[] = [
  async (recorder, demo, turn) => void (await recorder.send(chat('chat', demo, prompt(`hello ${turn}`)))),
  async (recorder, demo, turn) => {
    const text = await recorder.send(chat('stream', demo, prompt(`hello in parts ${turn}`, { stream: true })))
    if (text !== undefined && !text.includes('data: [DONE]')) recorder.failed.push(`stream without an end: ${text.slice(-300)}`)
  },
  async (recorder, demo, turn) => {
    // Each hold needs its own text, because an approved one may be sent again once.
    const body = prompt(`${HELD_PROMPT} Reference ${turn}.`)
    const item = parse(await recorder.send(chat('hold', demo, body, 409)))?.error?.review_item_id
    if (item === undefined) return
    const path = `/admin/v1/reviews/${item}/approve`
    const approved = await recorder.send({ kind: 'decision', path, token: demo.admin_token, body: { comment: 'checked' } })
    if (approved !== undefined) await recorder.send(chat('released', demo, { ...body, governance: { review_item_id: item } }))
  },
  async (recorder, demo, turn) => {
    const token = tokenOf(demo, 'alice')
    const body = { contact_id: 'bob', distinct: true }
    const conversation = parse(await recorder.send({ kind: 'conversation', path: '/v1/conversations', token, body }))
    const message = { conversation_id: conversation?.id, message: `Lunch at noon? ${turn}` }
    if (conversation) await recorder.send({ kind: 'message', path: '/v1/messages', token, body: message, status: 201 })
    await sleep(4 * PAUSE_MS)
  },
  async (recorder, demo) => {
    const body = { query: 'Where is the handbook for travel?' }
    await recorder.send({ kind: 'search', path: '/v1/knowledge/search', token: demo.applications[0]?.api_key, body })
  },
  async (recorder, demo, turn) => {
    const path = `/admin/v1/applications/${demo.applications[0]?.id}`
    const body = { limits: { requests_per_minute: 1_000_000, burst: 100_000, concurrency: 1_000 + (turn % 100) } }
    await recorder.send({ kind: 'change', method: 'PATCH', path, token: demo.admin_token, body })
  },
]

export type MixedLoad = Awaited<ReturnType<typeof startMixedLoad>>

/** Kinds of requests of the load. */
const KINDS = ['chat', 'stream', 'hold', 'decision', 'released', 'conversation', 'message', 'search', 'change']

/** Starts clients that send chats, streams, holds with decisions, messages, searches and changes, each one after the other. */
export async function startMixedLoad(base: string, demo: Demo) {
  const recorder = new Recorder(base)
  // The conversation exists, and the limits are high, before the load begins.
  const token = tokenOf(demo, 'alice')
  await recorder.send({ kind: 'conversation', path: '/v1/conversations', token, body: { contact_id: 'bob' }, status: 201 })
  await ACTORS.at(-1)?.(recorder, demo, 0)
  let running = true
  const clients = ACTORS.map(async (act) => {
    for (let turn = 1; running; turn++) {
      await act(recorder, demo, turn)
      await sleep(PAUSE_MS)
    }
  })
  return {
    kinds: KINDS,
    /** Grows while the load runs. */
    report: recorder as LoadReport,
    stop: async (): Promise<LoadReport> => {
      running = false
      await Promise.all(clients)
      return recorder
    },
  }
}
