import type { Socket } from 'node:net'
import { ERRORS, type ErrorCode, errorBody } from '../errors.ts'
import { newId } from '../lib/id.ts'

const CODES: Readonly<Record<string, ErrorCode>> = { HPE_HEADER_OVERFLOW: 'PAYLOAD_TOO_LARGE' }

/** Responds to malformed HTTP: there is no Fastify request, so the error envelope is written to the socket. */
export function respondToClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) {
    socket.destroy()
    return
  }
  const code = CODES[error.code ?? ''] ?? 'VALIDATION_ERROR'
  const body = JSON.stringify(errorBody(code, { message: 'The HTTP request is malformed.' }))
  const head = [
    `HTTP/1.1 ${ERRORS[code].status} ${code === 'VALIDATION_ERROR' ? 'Bad Request' : 'Content Too Large'}`,
    'connection: close',
    'content-type: application/json',
    'x-content-type-options: nosniff',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${newId('req')}`,
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}
