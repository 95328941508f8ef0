import { setTimeout } from 'node:timers/promises'
import type { Db } from '../../db/database.ts'
import type { Signal } from '../../db/signal.ts'
import type { Background } from '../../lib/background.ts'
import { EVENTS_TOPIC } from './event.ts'
import { moveToLog } from './log-store.ts'

const BATCH = 500
/** Between two rounds while events keep coming: many writes then share one. */
const LINGER_MS = 10

interface Deps {
  readonly db: Db
  readonly signal: Signal
  readonly background: Pick<Background, 'start'>
}

/** Takes events from the outbox to the log, and tells every node. Each node has one; the database lets one work at a time. */
export class EventRelay {
  readonly #deps: Deps
  #running = false
  #again = false

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** There may be something in the outbox: call it after a commit with events in it. Answers at once. */
  wake(): void {
    this.#again = true
    if (this.#running) return
    this.#running = true
    this.#deps.background.start(async (ending) => {
      try {
        while (this.#again && !ending.aborted) {
          this.#again = false
          await this.run()
          if (this.#again) await setTimeout(LINGER_MS)
        }
      } finally {
        this.#running = false
      }
    })
  }

  /** Empties the outbox. */
  async run(): Promise<void> {
    const { db, signal } = this.#deps
    for (let moved = BATCH; moved === BATCH; ) {
      const batch = await moveToLog(db, BATCH)
      moved = batch.moved
      await Promise.all(batch.workspaceIds.map((id) => signal.publish(EVENTS_TOPIC, id)))
    }
  }
}
