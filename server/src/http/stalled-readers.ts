import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** How long a caller may take nothing at all of an answer that is on its way; noticed after twice the time at the latest. */
const STALL_MS = 30_000

/**
 * Ends connections whose reader has stopped: an answer may be megabytes, it waits in memory until it is read, and by then no
 * limit counts its exchange any more. Readers that are slow but read, and answers that are still being made, are left alone.
 */
export function cutOffStalledReaders(app: FastifyInstance, stallMs = STALL_MS): void {
  const answers = new WeakMap<Socket, ServerResponse>()
  // One timer for a connection's whole life: one for each answer costs more than it watches over.
  app.server.setTimeout(stallMs, (socket) => {
    const answer = answers.get(socket)
    if (answer?.headersSent && !answer.writableFinished) socket.destroy()
  })
  app.addHook('onRequest', ({ socket }, { raw }, done) => {
    answers.set(socket, raw)
    done()
  })
}
