import { setTimeout as sleep } from 'node:timers/promises'
import { doublingDelay } from '../../../platform/queue/retry-delays.ts'
import type { FeedPosition } from './cursor.ts'
import { type FeedFormat, formatRecord } from './feed-format.ts'
import type { FeedSink } from './open-sink.ts'
import type { PositionStore } from './position-store.ts'
import type { readFeed } from './read-feed.ts'

const POLL_MS = 1_000
const RETRY = { firstMs: 1_000, maxMs: 60_000 }

export interface FollowOptions {
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

/**
 * The position is saved after the sink has a batch, so a crash in between sends the batch again and loses none. Returns the number of sent
 * records.
 */
export async function follow({
  read,
  sink,
  positions,
  format,
  version,
  isOnce,
  onProblem,
  signal,
}: FollowOptions): Promise<number> {
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
