import { Agent, request } from 'undici'
import type { Gatehouse } from './gatehouse.ts'

/** The part of a response that the client received before the server was killed. */
export interface Answer {
  readonly status: number
  readonly auditId: string | undefined
  /** Undefined if the connection broke within the body. */
  readonly text: string | undefined
}

/** A client of one server process. A broken connection is no error: the methods return undefined. */
export class CrashClient {
  readonly #agent = new Agent({ connections: 32, headersTimeout: 180_000, bodyTimeout: 180_000 })
  readonly #server: Pick<Gatehouse, 'port' | 'demo'>

  constructor(server: Pick<Gatehouse, 'port' | 'demo'>) {
    this.#server = server
  }

  /** Sends a chat request of the first demo Application. */
  chat(body: object): Promise<Answer | undefined> {
    return this.#call('POST', '/v1/chat/completions', this.#server.demo.applications[0]?.api_key, body)
  }

  record(auditId: string): Promise<Answer | undefined> {
    return this.#call('GET', `/v1/audit/${auditId}`, this.#server.demo.applications[0]?.api_key)
  }

  review(id: string): Promise<Answer | undefined> {
    return this.#call('GET', `/admin/v1/reviews/${id}`, this.#server.demo.admin_token)
  }

  approve(id: string): Promise<Answer | undefined> {
    return this.#call('POST', `/admin/v1/reviews/${id}/approve`, this.#server.demo.admin_token, { comment: 'crash run' })
  }

  close(): Promise<void> {
    return this.#agent.destroy()
  }

  async #call(method: 'GET' | 'POST', path: string, token?: string, body?: object): Promise<Answer | undefined> {
    try {
      const answer = await request(`http://127.0.0.1:${this.#server.port}${path}`, {
        dispatcher: this.#agent,
        method,
        headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
        body: body ? JSON.stringify(body) : null,
      })
      const auditId = answer.headers['x-audit-id']
      const text = await answer.body.text().catch(() => undefined)
      return { status: answer.statusCode, auditId: Array.isArray(auditId) ? auditId[0] : auditId, text }
    } catch {
      return undefined
    }
  }
}
