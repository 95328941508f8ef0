import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, request } from 'undici'
import type { Gatehouse } from './gatehouse.ts'

export interface Reply {
  readonly status: number
  readonly text: string
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** A user with an access token. */
export interface TestUser {
  readonly id: string
  readonly token: string
}

/** A client of one server process. */
export class MessagingCrashClient {
  readonly #server: Pick<Gatehouse, 'port'>
  readonly #agent = new Agent({ connections: 32, headersTimeout: 60_000, bodyTimeout: 60_000 })
  readonly #adminToken: string

  constructor(server: Pick<Gatehouse, 'port' | 'demo'>) {
    this.#server = server
    this.#adminToken = server.demo.admin_token
  }

  get base(): string {
    return `http://127.0.0.1:${this.#server.port}`
  }

  /** Returns undefined if the connection broke before the response was complete. Repeats the request after a 429. */
  async call(method: Method, path: string, token: string, body?: object, key?: string): Promise<Reply | undefined> {
    const headers = {
      authorization: `Bearer ${token}`,
      ...(body && { 'content-type': 'application/json' }),
      ...(key !== undefined && { 'idempotency-key': key }),
    }
    const json = body ? JSON.stringify(body) : null
    try {
      for (;;) {
        const answer = await request(this.base + path, { dispatcher: this.#agent, method, headers, body: json })
        const text = await answer.body.text()
        if (answer.statusCode !== 429) return { status: answer.statusCode, text }
        await sleep(200)
      }
    } catch {
      return undefined
    }
  }

  /** Throws unless the status is 2xx. */
  async callOk<T>(method: Method, path: string, token: string = this.#adminToken, body?: object): Promise<T> {
    const reply = await this.call(method, path, token, body)
    if (!reply || reply.status >= 300) throw new Error(`${method} ${path}: ${reply?.status} ${reply?.text.slice(0, 500)}`)
    return JSON.parse(reply.text) as T
  }

  async createUser(id: string): Promise<TestUser> {
    await this.callOk('POST', '/admin/v1/users', undefined, { id, username: id })
    const { token } = await this.callOk<{ token: string }>('POST', `/admin/v1/users/${id}/tokens`, undefined, {})
    return { id, token }
  }

  close(): Promise<void> {
    return this.#agent.destroy()
  }
}
