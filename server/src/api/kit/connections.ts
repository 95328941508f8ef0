import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** How long a client may read nothing of a response; noticed after at most twice this time. */
const STALL_MS = 30_000

interface Connection {
  responses: number
  last: ServerResponse | undefined
  /** Bytes received when the last response ended. More bytes mean that another request has started. */
  seen: number
}

/**
 * Closes connections whose client has stopped reading: the response waits in memory, and no limit counts it any more. A stop of the server
 * closes only connections whose client has got its response: Node regards one as idle as soon as the response was handed over.
 */
export function watchConnections(app: FastifyInstance, stallMs = STALL_MS): void {
  const { server } = app
  const connections = new Map<Socket, Connection>()
  server.on('connection', (socket: Socket) => {
    connections.set(socket, { responses: 0, last: undefined, seen: 0 })
    socket.once('close', () => connections.delete(socket))
  })
  // One timer for each connection: a timer for each response costs too much.
  server.setTimeout(stallMs, (socket) => {
    const response = connections.get(socket)?.last
    // Without waiting bytes the client has read everything, and the rest of the response does not exist yet (decision 0025).
    if (response?.headersSent && response.writableLength > 0) socket.destroy()
  })
  app.addHook('onRequest', ({ socket }, { raw }, done) => {
    const connection = connections.get(socket)
    if (connection) {
      connection.responses += 1
      connection.last = raw
      // Emitted when the system has taken the whole response, or the connection has ended.
      raw.once('close', () => {
        connection.responses -= 1
        connection.seen = socket.bytesRead
      })
    }
    done()
  })
  server.closeIdleConnections = () => {
    for (const [socket, { responses, seen }] of connections) if (responses === 0 && socket.bytesRead === seen) socket.destroy()
  }
}
