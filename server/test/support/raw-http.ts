import { connect } from 'node:net'
import { type GatewayResponse, toGatewayResponse } from './gateway-client.ts'

export interface RawRequest {
  readonly method?: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** An HTTP/1.1 request as text, with `connection: close`. */
export function formatRequest({ method = 'POST', path = '/', headers = {}, body = '' }: RawRequest): string {
  const all = { host: 'localhost', connection: 'close', 'content-length': String(Buffer.byteLength(body)), ...headers }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`
}

/**
 * Sends bytes over a new socket and resolves with all received bytes when the server closes it or after `ms`. After `quietMs` the
 * client ends its side.
 */
export function sendBytes(
  base: string,
  bytes: string | Buffer,
  { ms = 5_000, quietMs }: { ms?: number; quietMs?: number } = {},
): Promise<Buffer> {
  const { hostname, port } = new URL(base)
  return new Promise((resolve) => {
    const received: Buffer[] = []
    const socket = connect(Number(port), hostname)
    const timer = setTimeout(() => socket.destroy(), ms)
    const endTimer = setTimeout(() => socket.end(), quietMs ?? ms)
    socket.on('data', (chunk: Buffer) => received.push(chunk))
    socket.on('error', () => {})
    socket.on('close', () => {
      clearTimeout(timer)
      clearTimeout(endTimer)
      resolve(Buffer.concat(received))
    })
    socket.write(bytes)
  })
}

/** The first HTTP response in the received bytes; undefined if there is none. */
export function parseResponse(bytes: Buffer): GatewayResponse | undefined {
  const end = bytes.indexOf('\r\n\r\n')
  const [start = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n')
  const status = /^HTTP\/1\.1 (\d{3}) /.exec(start)?.[1]
  if (end < 0 || status === undefined) return undefined
  const headers = new Headers(
    lines.map((line): [string, string] => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
  )
  const length = Number(headers.get('content-length') ?? Number.NaN)
  const body = bytes.subarray(end + 4, Number.isNaN(length) ? undefined : end + 4 + length)
  return toGatewayResponse(Number(status), headers, body.toString('utf8'))
}
