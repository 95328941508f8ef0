import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** How long a client may read nothing of a response; noticed after at most twice this time. */
const STALL_MS = 30_000

/** Closes connections whose client has stopped reading: the response waits in memory, and no limit counts it any more. */
export function closeStalledConnections(app: FastifyInstance, stallMs = STALL_MS): void {
  const responses = new WeakMap<Socket, ServerResponse>()
  // One timer for each connection: a timer for each response costs too much.
  app.server.setTimeout(stallMs, (socket) => {
    const response = responses.get(socket)
    // Without waiting bytes the client has read everything, and the rest of the response does not exist yet (decision 0025).
    if (response?.headersSent && response.writableLength > 0) socket.destroy()
  })
  app.addHook('onRequest', ({ socket }, { raw }, done) => {
    responses.set(socket, raw)
    done()
  })
}
