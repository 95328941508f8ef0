import { createServer, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { onTestFinished } from 'vitest'
import { completion as scriptedCompletion } from './scripted-provider.ts'
import { streamTextOf } from './upstream-stream.ts'

/** A request as it arrived at the socket. */
export interface ReceivedRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export type Behaviour = (socket: Socket, call: ReceivedRequest) => void

/** Text in the provider's errors. It must never reach a client. */
export const UPSTREAM_SECRET = 'upstream-private-diagnostics'

export const completion = (content: string, change: object = {}) =>
  scriptedCompletion(content, { id: 'chatcmpl-1', model: 'the-name-upstream', ...change })

const head = (status: number, headers: Record<string, string | number>): string =>
  `HTTP/1.1 ${status} x\r\n${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n`

const asksForStream = ({ body }: ReceivedRequest): boolean => body !== '' && JSON.parse(body).stream === true

/** Sends a complete response; a completion as a stream if the request asks for one. */
export const respond =
  (body: string | Buffer | object, { status = 200, headers = {} as Record<string, string> } = {}): Behaviour =>
  (socket, call) => {
    const stream = status === 200 && !Buffer.isBuffer(body) && asksForStream(call) ? streamTextOf(body) : undefined
    const bytes = Buffer.isBuffer(body) ? body : Buffer.from(stream ?? (typeof body === 'string' ? body : JSON.stringify(body)))
    const type = stream === undefined ? 'application/json' : 'text/event-stream'
    socket.write(head(status, { 'content-type': type, 'content-length': bytes.length, ...headers }))
    socket.write(bytes)
  }

export const respondNormally = respond(completion('Good morning.'))
export const failWith = (status: number, headers: Record<string, string> = {}): Behaviour =>
  respond({ error: { message: UPSTREAM_SECRET } }, { status, headers })

const completeBody = JSON.stringify(completion(UPSTREAM_SECRET))
const json = { 'content-type': 'application/json' }

/** Writes a body of `bytes` bytes as fast as the client reads it, until the client disconnects. */
const writeBytes =
  (bytes: number, headers: Record<string, string | number>): Behaviour =>
  (socket) => {
    const chunk = Buffer.alloc(65_536, ' ')
    let left = bytes
    const writeMore = () => {
      while (left > 0 && !socket.destroyed) {
        left -= chunk.length
        if (!socket.write(chunk)) return void socket.once('drain', writeMore)
      }
    }
    socket.write(head(200, headers))
    writeMore()
  }

/** Faults of providers by name. */
export const FAULTS = {
  'hangs before headers': () => {},
  'hangs within headers': (socket) => void socket.write('HTTP/1.1 200 OK\r\ncontent-type: appl'),
  'hangs within the body': (socket) => {
    socket.write(head(200, { ...json, 'content-length': completeBody.length }))
    socket.write(completeBody.slice(0, 40))
  },
  'drips a byte at a time': (socket) => {
    socket.write(head(200, { ...json, 'content-length': completeBody.length }))
    let sent = 0
    const timer = setInterval(() => socket.write(completeBody.charAt(sent++)), 20)
    socket.on('close', () => clearInterval(timer))
  },
  'resets at once': (socket) => void socket.resetAndDestroy(),
  'resets within the body': (socket) => {
    socket.write(head(200, { ...json, 'content-length': completeBody.length }))
    socket.write(completeBody.slice(0, 40), () => setTimeout(() => socket.resetAndDestroy(), 10))
  },
  'ends before its content-length': (socket) => {
    socket.write(head(200, { ...json, 'content-length': completeBody.length + 10 }))
    socket.end(completeBody)
  },
  'ends within a chunked body': (socket) => {
    socket.write(head(200, { ...json, 'transfer-encoding': 'chunked' }))
    socket.end(`${completeBody.length.toString(16)}\r\n${completeBody}\r\n`)
  },
  'sends half of its JSON': respond(completeBody.slice(0, completeBody.length / 2)),
  'sends HTML': respond(`<html>${UPSTREAM_SECRET}</html>`, { headers: { 'content-type': 'text/html' } }),
  'sends HTML as JSON': respond(`<html>${UPSTREAM_SECRET}</html>`),
  'sends an event stream': respond(`data: ${completeBody}\n\n`, { headers: { 'content-type': 'text/event-stream' } }),
  'sends invalid UTF-8': respond(Buffer.from(completeBody.replace(UPSTREAM_SECRET, '\xff\xfe'), 'latin1')),
  'sends 100 MB': writeBytes(100 * 1_048_576, { ...json, 'content-length': 100 * 1_048_576 }),
  'sends 100 MB without a content-length': writeBytes(100 * 1_048_576, json),
  'sends a gzip bomb': respond(gzipSync(Buffer.alloc(64 * 1_048_576, ' ')), { headers: { 'content-encoding': 'gzip' } }),
  'sends 204': (socket) => void socket.write(head(204, {})),
  'sends an empty body': respond(''),
  'does not use HTTP': (socket) => void socket.end('SSH-2.0-OpenSSH_9.6\r\n'),
  'sends endless headers': (socket) => void socket.write(`HTTP/1.1 200 OK\r\nx: ${'x'.repeat(200_000)}`),
  'redirects to metadata': failWith(302, { location: 'http://169.254.169.254/latest/meta-data/' }),
  'answers 400': failWith(400),
  'answers 401': failWith(401),
  'answers 404': failWith(404),
  'answers 500': failWith(500),
  'answers 503 with a long wait': failWith(503, { 'retry-after': '3600' }),
  'answers 429 with a long wait': failWith(429, { 'retry-after': '120' }),
  'answers 500 with an endless body': (socket, call) => {
    socket.write(head(500, json))
    writeBytes(100 * 1_048_576, {})(socket, call)
  },
  'answers 500 and hangs within the body': (socket) => void socket.write(head(500, { ...json, 'content-length': 100 })),
  'sends null': respond('null'),
  'sends a string': respond('"text"'),
  'omits choices': respond(completion('', { choices: undefined })),
  'sends empty choices': respond(completion('', { choices: [] })),
  'omits finish_reason': respond(
    completion('', { choices: [{ index: 0, message: { role: 'assistant', content: UPSTREAM_SECRET } }] }),
  ),
  'counts more tokens than a record can hold': respond(
    completion(UPSTREAM_SECRET, { usage: { prompt_tokens: 4_000_000_000, completion_tokens: 4_000_000_000 } }),
  ),
  'sends a choice index that is too large': respond(
    completion('', {
      choices: [{ index: 4_111_111_111, message: { role: 'assistant', content: UPSTREAM_SECRET }, finish_reason: 'stop' }],
    }),
  ),
  'reports an error with 200': respond(completion('', { error: { message: UPSTREAM_SECRET } })),
} as const satisfies Record<string, Behaviour>

export type FaultyProvider = Awaited<ReturnType<typeof startFaultyProvider>>

/** Starts a provider on loopback that reads requests from a raw socket and responds with the given behaviours. */
export async function startFaultyProvider(...behaviours: Behaviour[]) {
  let plan = behaviours.length > 0 ? behaviours : [respondNormally]
  const calls: ReceivedRequest[] = []
  const sockets = new Set<Socket>()
  let accepted = 0
  const server = createServer((socket) => {
    accepted++
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => {})
    readCalls(socket, (call) => {
      calls.push(call)
      const behaviour = (plan.length > 1 ? plan.shift() : plan[0]) ?? respondNormally
      behaviour(socket, call)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    calls,
    /** Connections accepted so far. */
    connections: () => accepted,
    /** Sets the behaviours for the next requests: one after another, the last one for all further requests. */
    behave: (...next: Behaviour[]): void => {
      plan = next
    },
    close: () =>
      new Promise<void>((resolve) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
      }),
  }
}

/** As `startFaultyProvider`, until the current test ends. */
export async function faultyProvider(...behaviours: Behaviour[]): Promise<FaultyProvider> {
  const started = await startFaultyProvider(...behaviours)
  onTestFinished(() => started.close())
  return started
}

function readCalls(socket: Socket, onCall: (call: ReceivedRequest) => void): void {
  let seen = Buffer.alloc(0)
  socket.on('data', (chunk: Buffer) => {
    seen = Buffer.concat([seen, chunk])
    for (;;) {
      const end = seen.indexOf('\r\n\r\n')
      if (end < 0) return
      const [first = '', ...lines] = seen.subarray(0, end).toString('latin1').split('\r\n')
      const headers = Object.fromEntries(lines.map((line) => line.split(/:\s*/s, 2) as [string, string]))
      const length = Number(headers['content-length'] ?? 0)
      if (seen.length < end + 4 + length) return
      const body = seen.subarray(end + 4, end + 4 + length).toString('utf8')
      seen = seen.subarray(end + 4 + length)
      const [method = '', path = ''] = first.split(' ')
      onCall({ method, path, headers, body })
    }
  })
}
