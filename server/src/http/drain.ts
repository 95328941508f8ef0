import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { errorBody } from '../errors.ts'
import { elapsed } from '../lib/clock.ts'
import type { Shutdown } from '../lib/shutdown.ts'
import { sendError } from './error-replies.ts'

/** What callers read whose answer the stop has cut off. */
const STOPPING = { message: 'The server is stopping. Send the request again.', headers: { 'retry-after': '1' } }
const POLL_MS = 10
/** How long answers that were cut off get to be written. */
const WRITE_MS = 1_000

/** What is being answered right now, so that a stop can wait for it and, where that takes too long, cut it off with an answer. */
export class Drain {
  readonly #running = new Set<FastifyReply>()

  /** To be called before the routes are registered. */
  watch(app: FastifyInstance, shutdown: Shutdown): void {
    app.addHook('onRequest', (_request, reply, done) => {
      this.#running.add(reply)
      reply.raw.once('close', () => this.#running.delete(reply))
      // Keep-alive clients come back on a new connection, which leads to a node that stays.
      if (shutdown.leaving.aborted) reply.header('connection', 'close')
      done()
    })
    app.addHook('onSend', (_request, reply, payload, done) => {
      if (shutdown.leaving.aborted) reply.header('connection', 'close')
      done(null, payload)
    })
  }

  get size(): number {
    return this.#running.size
  }

  /** True as soon as nothing runs any more; false when something still does after `ms`. */
  async idle(ms: number): Promise<boolean> {
    const until = elapsed() + ms
    while (this.#running.size > 0 && elapsed() < until) await sleep(POLL_MS)
    return this.#running.size === 0
  }

  /**
   * Answers everything that still runs with 503; a stream that has begun gets the error as its last event. Answers the ids of the audit
   * records (`aud_…`) whose answers had begun and did not get out whole.
   */
  async cut(): Promise<readonly string[]> {
    const broken = new Set([...this.#running].filter(cutOff))
    await this.idle(WRITE_MS)
    // Written to its end here, but its reader has not taken all of it.
    for (const reply of this.#running) if (reply.raw.headersSent && !reply.raw.writableFinished) broken.add(reply)
    return [...broken].flatMap((reply) => {
      const id = reply.getHeader('x-audit-id')
      return typeof id === 'string' ? [id] : []
    })
  }
}

/** Whether an answer that had begun was broken off. */
function cutOff(reply: FastifyReply): boolean {
  const { raw } = reply
  if (raw.writableEnded) return false
  if (!raw.headersSent && !reply.sent) {
    sendError(reply, 'UNAVAILABLE', STOPPING)
    return false
  }
  const isStream = String(raw.getHeader('content-type')).startsWith('text/event-stream')
  if (raw.headersSent && isStream) raw.end(`event: error\ndata: ${JSON.stringify(errorBody('UNAVAILABLE', STOPPING))}\n\n`)
  // Half of a JSON body can't be completed: the reader has to see that it is broken.
  else raw.destroy()
  return true
}
