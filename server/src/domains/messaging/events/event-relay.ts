import type { Db } from '../../../platform/db/database.ts'
import type { Signal } from '../../../platform/db/signal.ts'
import { Loop } from '../../../platform/queue/loop.ts'
import { EVENTS_TOPIC } from './event.ts'
import { moveOutboxToLog } from './event-log-store.ts'

const BATCH = 500
/** Pause between two batches: under load, many events then share one transaction. */
const LINGER_MS = 10

interface Deps {
  readonly db: Db
  readonly signal: Pick<Signal, 'publish'>
  readonly onError: (error: Error) => void
}

/** Moves events from the outbox to the log, and signals every node. Wake it after a commit that emitted events; `run` empties the outbox. */
export class EventRelay extends Loop {
  published = 0

  constructor({ db, signal, onError }: Deps) {
    const onMoved = (count: number) => {
      this.published += count
    }
    super(() => emptyOutbox(db, signal, onMoved), { onError, lingerMs: LINGER_MS })
  }
}

async function emptyOutbox(db: Db, signal: Deps['signal'], onMoved: (count: number) => void): Promise<void> {
  for (let moved = BATCH; moved === BATCH; ) {
    const batch = await moveOutboxToLog(db, BATCH)
    moved = batch.moved
    onMoved(moved)
    await Promise.all(batch.workspaceIds.map((id) => signal.publish(EVENTS_TOPIC, id)))
  }
}
