import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { elapsed } from '../../platform/lib/clock.ts'
import type { Shutdown } from '../../platform/lib/shutdown.ts'
import { errorBodyOf, sendError } from './error-responses.ts'

/** Sent to clients whose request the stop ends. */
const STOPPING = { message: 'The server is stopping. Send the request again.', headers: { 'retry-after': '1' } }
const POLL_MS = 10
const WRITE_MS = 1_000

/** Requests in flight: a stop waits for them, and ends those that take too long with an error. */
export class Drain {
  readonly #running = new Set<FastifyReply>()

  /** Call before the routes are registered. */
  watch(app: FastifyInstance, shutdown: Shutdown): void {
    app.addHook('onRequest', (_request, reply, done) => {
      this.#running.add(reply)
      reply.raw.once('close', () => this.#running.delete(reply))
      // A new connection leads keep-alive clients to another node.
      if (shutdown.stopping.aborted) reply.header('connection', 'close')
      done()
    })
    app.addHook('onSend', (_request, reply, payload, done) => {
      if (shutdown.stopping.aborted) reply.header('connection', 'close')
      done(null, payload)
    })
  }

  get size(): number {
    return this.#running.size
  }

  /** True as soon as no request is in flight; false when one still is after `ms`. */
  async idle(ms: number): Promise<boolean> {
    const until = elapsed() + ms
    while (this.#running.size > 0 && elapsed() < until) await sleep(POLL_MS)
    return this.#running.size === 0
  }

  /** Ends the requests in flight with 503. Returns the ids of the audit records (`aud_…`) whose responses were not sent completely. */
  async cut(): Promise<readonly string[]> {
    const broken = new Set([...this.#running].filter(cutOff))
    await this.idle(WRITE_MS)
    // Written completely here, but not received completely by the client.
    for (const reply of this.#running) if (reply.raw.headersSent && !reply.raw.writableFinished) broken.add(reply)
    return [...broken].flatMap((reply) => {
      const id = reply.getHeader('x-audit-id')
      return typeof id === 'string' ? [id] : []
    })
  }
}

function cutOff(reply: FastifyReply): boolean {
  const { raw } = reply
  if (raw.writableEnded) return false
  if (!raw.headersSent && !reply.sent) {
    sendError(reply, 'UNAVAILABLE', STOPPING)
    return false
  }
  const isStream = String(reply.getHeader('content-type')).startsWith('text/event-stream')
  const body = errorBodyOf(reply, 'UNAVAILABLE', STOPPING)
  if (raw.headersSent && isStream) raw.end(reply.errorEvent?.(body) ?? `event: error\ndata: ${JSON.stringify(body)}\n\n`)
  // A JSON body that has started cannot be completed: the client must see that it is broken.
  else raw.destroy()
  return true
}
