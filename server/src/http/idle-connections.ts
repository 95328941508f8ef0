import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

interface Connection {
  answers: number
  /** Bytes that had come when the last answer was done; more have come when another request has begun. */
  seen: number
}

/**
 * Makes `closeIdleConnections` of the server, which a stop calls first, leave alone connections whose answer is still on its way. Node
 * takes a connection for idle as soon as its answer was handed over, and throws away what the reader has not yet taken.
 */
export function closeOnlyIdleConnections(app: FastifyInstance): void {
  const { server } = app
  const connections = new Map<Socket, Connection>()
  server.on('connection', (socket: Socket) => {
    connections.set(socket, { answers: 0, seen: 0 })
    socket.once('close', () => connections.delete(socket))
  })
  app.addHook('onRequest', ({ socket }, { raw }, done) => {
    const connection = connections.get(socket)
    if (connection) {
      connection.answers += 1
      // Emitted when the system has taken all of the answer, or the connection has ended.
      raw.once('close', () => {
        connection.answers -= 1
        connection.seen = socket.bytesRead
      })
    }
    done()
  })
  server.closeIdleConnections = () => {
    for (const [socket, { answers, seen }] of connections) if (answers === 0 && socket.bytesRead === seen) socket.destroy()
  }
}
