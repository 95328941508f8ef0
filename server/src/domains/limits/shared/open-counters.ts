import { createHash } from 'node:crypto'
import type { Database } from '../../../platform/db/database.ts'
import type { Counters } from '../counters.ts'
import { LOCAL_COUNTERS } from '../local-counters.ts'
import { Exchanger } from './exchanger.ts'
import { postgresStore } from './postgres-store.ts'
import { RateLease } from './rate-lease.ts'
import { SlotLease } from './slot-lease.ts'

/** The counters of this node's limits, with what metrics read. */
export interface OpenCounters {
  readonly counters: Counters
  /** Exchanges with the store since the start, by result. */
  readonly exchanges: () => { readonly ok: number; readonly failed: number }
  /** Returns this node's leases to the other nodes. */
  readonly close: () => Promise<void>
}

/** An embedded database has one process, which counts in memory. */
export function openCounters({ database }: { readonly database: Database }): OpenCounters {
  if (database.kind === 'embedded')
    return { counters: LOCAL_COUNTERS, exchanges: () => ({ ok: 0, failed: 0 }), close: async () => {} }
  const exchanger = new Exchanger(postgresStore(database.db))
  return { counters: sharedCounters(exchanger), exchanges: () => exchanger.statistics, close: () => exchanger.close() }
}

/** Counters whose limits all nodes share. */
export const sharedCounters = (exchanger: Exchanger): Counters => ({
  rate: (key, rate) => new RateLease(anonymous(key), rate, exchanger),
  slots: (key, capacity, onFree) => new SlotLease(anonymous(key), capacity, exchanger, onFree),
})

/** Keys name users, and the stores hold no personal data. */
const anonymous = (key: string): string => createHash('sha256').update(key).digest('base64url')
