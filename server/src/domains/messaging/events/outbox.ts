import type { Tx } from '../../../platform/db/database.ts'
import { addToOutbox } from '../../../platform/queue/outbox.ts'
import type { NewEvent } from './event.ts'

/**
 * Emits events: when the transaction commits, each audience receives them once and in this order. Call `relay.wake()` after the
 * commit; otherwise a recurring job sends them up to 250 ms later.
 */
export const emit = (tx: Tx, ...events: readonly NewEvent[]): Promise<void> => addToOutbox(tx, events)
