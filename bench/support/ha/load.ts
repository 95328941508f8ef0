import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { MODEL } from '../chat-bodies.ts'
import type { Gatehouse } from '../gatehouse.ts'

/** A finished request. Times are those of `performance.now()`. */
export interface Call {
  readonly node: string
  readonly kind: Kind
  readonly at: number
  /** How long the caller waited. */
  readonly ms: number
  /** `200`, a status with the error code, or `no response`. */
  readonly outcome: string
  readonly isOk: boolean
  /** Audit id of an answered chat, id of a stored message. */
  readonly id: string | undefined
}

export type Kind = 'chat' | 'message' | 'list'

export interface LoadNode {
  readonly name: string
  readonly server: Pick<Gatehouse, 'port' | 'demo'>
}

/** A conversation and the token of its member. */
export interface Conversation {
  readonly id: string
  readonly token: string
}

/** Longest time of a request, after which its caller gives up. */
const GIVE_UP_MS = 20_000
const CHATS_PER_NODE = 2
/** Between two requests of a caller, so that the load leaves the machine to the cluster. */
const PAUSE_MS: Readonly<Record<Kind, number>> = { chat: 40, message: 1_100, list: 300 }

/** Bounded load on all nodes: chats, governed messages, and lists of the dashboard. Each caller waits for its response. */
export class Load {
  readonly calls: Call[] = []
  readonly #agent = new Agent({ headersTimeout: GIVE_UP_MS, bodyTimeout: GIVE_UP_MS, connections: 16 })
  #isStopped = false
  #callers: Promise<void>[] = []

  start(nodes: readonly LoadNode[], conversation: Conversation): void {
    for (const node of nodes) {
      for (let caller = 0; caller < CHATS_PER_NODE; caller++) this.#repeat(node, 'chat', () => chat(node))
      this.#repeat(node, 'message', () => message(conversation))
      this.#repeat(node, 'list', () => ({ method: 'GET', path: '/admin/v1/audit?limit=5', token: node.server.demo.admin_token }))
    }
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await Promise.all(this.#callers)
    await this.#agent.destroy()
  }

  /** Ids that a client got an answer with. */
  acknowledged(kind: Kind, until = Number.POSITIVE_INFINITY): readonly string[] {
    return this.calls.flatMap((call) => (call.kind === kind && call.isOk && call.id && call.at <= until ? [call.id] : []))
  }

  #repeat(node: LoadNode, kind: Kind, next: () => Request): void {
    this.#callers.push(
      (async () => {
        for (; !this.#isStopped; await sleep(PAUSE_MS[kind])) this.calls.push(await this.#send(node, kind, next()))
      })(),
    )
  }

  async #send({ name, server }: LoadNode, kind: Kind, { method, path, token, body }: Request): Promise<Call> {
    const since = performance.now()
    const finish = (outcome: string, id?: string): Call => ({
      node: name,
      kind,
      at: performance.now(),
      ms: performance.now() - since,
      outcome,
      isOk: outcome === '200',
      id,
    })
    try {
      const response = await request(`http://127.0.0.1:${server.port}${path}`, {
        dispatcher: this.#agent,
        method,
        headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
        body: body ? JSON.stringify(body) : null,
      })
      const answer = (await response.body.json()) as { id?: string; error?: { code?: string } }
      if (response.statusCode >= 300) return finish(`${response.statusCode} ${answer.error?.code}`)
      return finish('200', kind === 'chat' ? String(response.headers['x-audit-id']) : answer.id)
    } catch {
      return finish('no response')
    }
  }
}

interface Request {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly token: string | undefined
  readonly body?: object
}

const chat = ({ server }: LoadNode): Request => ({
  method: 'POST',
  path: '/v1/chat/completions',
  token: server.demo.applications[0]?.api_key,
  body: { model: MODEL, messages: [{ role: 'user', content: 'Tell me about the harbour at night.' }] },
})

const message = ({ id, token }: Conversation): Request => ({
  method: 'POST',
  path: '/v1/messages',
  token,
  body: { conversation_id: id, message: 'The ferry leaves at nine.' },
})
