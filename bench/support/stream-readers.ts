import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { serveHelper } from './helper-process.ts'
import { KeepAliveConnection, statusOf } from './keep-alive-connection.ts'
import { quantile } from './statistics.ts'

/** Reads event streams and sends the messages in one separate process, so that one clock measures both. */
export interface OpenSpec {
  readonly open: { readonly port: number; readonly streams: number; readonly tokens: readonly string[] }
}

export interface DeliverSpec {
  readonly deliver: {
    readonly port: number
    readonly token: string
    /** Conversation of all readers. */
    readonly conversationId: string
    readonly messages: number
    readonly pauseMs: number
  }
}

/** Milliseconds from the response of a message to its event on each stream. 0: the event arrived first. */
export interface Delivered {
  readonly p50: number
  readonly p99: number
  readonly most: number
  /** Number of events that did not arrive within ten seconds. */
  readonly missing: number
}

const OPENING_CONCURRENCY = 25
const WAIT_MS = 10_000

interface Reader {
  /** End of the received text, because a marker may be split over two chunks. */
  tail: string
  arrived: number
}

const readers: Reader[] = []
let waiting: { readonly marker: string; left: number; readonly done: () => void } | undefined

function readChunk(reader: Reader, chunk: string): void {
  if (!waiting || reader.arrived > 0) return
  const seen = reader.tail + chunk
  reader.tail = seen.slice(-waiting.marker.length)
  if (!seen.includes(waiting.marker)) return
  reader.arrived = performance.now()
  if (--waiting.left === 0) waiting.done()
}

/** Resolves once the stream has begun. */
function openStream(port: number, token: string): Promise<void> {
  const reader: Reader = { tail: '', arrived: 0 }
  const socket: Socket = connect(port, '127.0.0.1')
  socket.write(`GET /v1/events HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer ${token}\r\n\r\n`)
  return new Promise((resolve, reject) => {
    let head = ''
    socket.setEncoding('latin1').on('data', (text: Buffer | string) => {
      const chunk = String(text)
      if (reader.tail === '' && head !== 'begun') {
        head += chunk
        if (!head.startsWith('HTTP/1.1 200')) return reject(new Error(`a stream was refused: ${head}`))
        if (!head.includes('retry:')) return
        head = 'begun'
        readers.push(reader)
        resolve()
      } else readChunk(reader, chunk)
    })
    socket.on('error', reject).on('close', () => reject(new Error('a stream has ended')))
  })
}

async function open({ port, streams, tokens }: OpenSpec['open']): Promise<{ streams: number }> {
  let next = 0
  const opener = async () => {
    while (next < streams) await openStream(port, tokens[next++ % tokens.length] ?? '')
  }
  await Promise.all(Array.from({ length: OPENING_CONCURRENCY }, opener))
  return { streams: readers.length }
}

async function deliver({ port, token, conversationId, messages, pauseMs }: DeliverSpec['deliver']): Promise<Delivered> {
  const connection = await KeepAliveConnection.open(port)
  const times: number[] = []
  let missing = 0
  for (let number = 0; number < messages; number++) {
    const marker = `marker-${number}-`
    for (const reader of readers) Object.assign(reader, { tail: '', arrived: 0 })
    const all = new Promise<void>((resolve) => {
      waiting = { marker, left: readers.length, done: resolve }
    })
    const body = JSON.stringify({
      conversation_id: conversationId,
      message: `Please look at ${marker} before the meeting starts.`,
    })
    const answer = await connection.exchange(post(port, token, body))
    const answeredAt = performance.now()
    if (statusOf(answer) !== 201) throw new Error(`a message was refused: ${answer.toString()}`)
    await Promise.race([all, sleep(WAIT_MS, undefined, { ref: false })])
    for (const { arrived } of readers) {
      if (arrived === 0) missing++
      else times.push(Math.max(0, arrived - answeredAt))
    }
    await sleep(pauseMs)
  }
  connection.close()
  const sorted = Float64Array.from(times).sort()
  return { p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99), most: quantile(sorted, 1), missing }
}

const post = (port: number, token: string, body: string): Buffer =>
  Buffer.from(
    `POST /v1/messages HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer ${token}\r\n` +
      `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )

serveHelper(0, (spec: OpenSpec | DeliverSpec): Promise<object> => ('open' in spec ? open(spec.open) : deliver(spec.deliver)))
