import type { FastifyInstance } from 'fastify'

/** How long a caller may take nothing at all of an answer that is on its way; noticed after twice the time at the latest. */
const STALL_MS = 30_000

/**
 * Ends connections whose reader has stopped: an answer may be megabytes, it waits in memory until it is read, and by then no
 * limit counts its exchange any more. Readers that are slow but read, and answers that are still being made, are left alone.
 */
export function cutOffStalledReaders(app: FastifyInstance, stallMs = STALL_MS): void {
  app.addHook('onRequest', (_request, { raw }, done) => {
    raw.setTimeout(stallMs, () => {
      if (raw.headersSent) raw.destroy()
    })
    done()
  })
}
