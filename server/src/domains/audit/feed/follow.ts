import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { doublingDelay } from '../../../platform/queue/retry-delays.ts'
import { appendLines, bearer, openConnection, replaceFile, sendRequest } from '../delivery/send-request.ts'
import { type FeedPosition, formatCursor, parseCursor } from './cursor.ts'
import { type FeedFormat, formatRecord } from './ocsf.ts'
import type { readFeed } from './read-feed.ts'

const POLL_MS = 1_000
const RETRY = { firstMs: 1_000, maxMs: 60_000 }

interface FollowOptions {
  readonly read: (after: FeedPosition) => ReturnType<typeof readFeed>
  readonly sink: FeedSink
  readonly positions: PositionStore
  readonly format: FeedFormat
  readonly version: string
  /** Ends when all records are sent, and throws at the first failure. */
  readonly isOnce: boolean
  readonly onProblem: (error: unknown, waitMs: number) => void
  readonly signal: AbortSignal
}

/** The position is saved after the sink has a batch, so a crash sends the batch again and loses none. Returns the number of sent records. */
export async function follow(options: FollowOptions): Promise<number> {
  const { read, sink, positions, format, version, isOnce, onProblem, signal } = options
  let position: FeedPosition | undefined
  let sent = 0
  for (let failures = 0; !signal.aborted; ) {
    try {
      position ??= await positions.load()
      const page = await read(position)
      if (page.records.length > 0) {
        await sink.write(page.records.map((record) => JSON.stringify(formatRecord(record, format, version))))
        await positions.save(page.position)
        position = page.position
        sent += page.records.length
      }
      failures = 0
      if (page.hasMore) continue
      if (isOnce) break
    } catch (error) {
      if (isOnce) throw error
      failures++
      onProblem(error, doublingDelay(failures, RETRY))
    }
    await sleep(failures === 0 ? POLL_MS : doublingDelay(failures, RETRY), undefined, { signal }).catch(() => {})
  }
  return sent
}

interface FeedSink {
  /** Resolves when the receiver has all lines. Throws otherwise, without a secret; all lines are then sent again. */
  write(lines: readonly string[]): Promise<void>
  close(): Promise<void>
}

/** A URL: each batch is the body of a POST, and 2xx means that it is stored. `-`: standard output. Else a path. Undefined: not valid. */
export function openSink(
  target: string,
  { token, out }: { readonly token: string | undefined; readonly out: (line: string) => void },
): FeedSink | undefined {
  if (target === '-') return { write: async (lines) => lines.forEach(out), close: async () => {} }
  const url = /^[a-z+]+:\/\//i.test(target) ? URL.parse(target) : undefined
  if (url === undefined) return { write: (lines) => appendLines(target, lines), close: async () => {} }
  if (url === null || url.username || url.password || !/^https?:$/.test(url.protocol)) return undefined
  const connection = openConnection()
  const request = { method: 'POST', url: target, headers: { 'content-type': 'application/x-ndjson', ...bearer(token) } } as const
  return {
    write: (lines) => sendRequest(connection, { ...request, body: lines.map((line) => `${line}\n`).join('') }),
    close: () => connection.close(),
  }
}

export interface PositionStore {
  /** An empty position if none was saved. Throws if the saved one is not valid, because starting again would send all records. */
  load(): Promise<FeedPosition>
  save(position: FeedPosition): Promise<void>
}

export const filePositions = (path: string): PositionStore => ({
  async load() {
    const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined
      throw error
    })
    const position = text === undefined ? {} : parseCursor(text.trim())
    if (position) return position
    throw new Error(`the position in ${path} is not valid: restore it, or remove it to send all records again`)
  },
  save: (position) => replaceFile(path, `${formatCursor(position)}\n`, `${path}.next`),
})

export const noPositions: PositionStore = { load: async () => ({}), save: async () => {} }
