import type { Logger } from 'pino'
import type { Database } from '../../db/database.ts'
import type { Counters } from '../counters.ts'
import { LOCAL_COUNTERS } from '../local-counters.ts'
import { Exchanger } from './exchanger.ts'
import { FallbackStore } from './fallback-store.ts'
import { postgresStore } from './postgres-store.ts'
import { sharedCounters } from './shared-counters.ts'
import { ValkeyStore } from './valkey-store.ts'

/** The counters of this node's limits, with what metrics read. */
export interface OpenCounters {
  readonly counters: Counters
  /** False while limits are counted in PostgreSQL because Valkey does not respond. */
  readonly isStoreUp: () => boolean
  /** Exchanges with the store since the start, by result. */
  readonly exchanges: () => { readonly ok: number; readonly failed: number }
  /** Returns this node's leases to the other nodes. */
  readonly close: () => Promise<void>
}

interface CounterDeps {
  readonly database: Database
  /** redis:// or rediss://; absent: limits are counted in PostgreSQL. */
  readonly valkeyUrl: string | undefined
  readonly log: Logger
}

/** An embedded database has one process, which counts in memory. */
export const openCounters = (deps: CounterDeps): OpenCounters =>
  deps.database.kind === 'embedded'
    ? { counters: LOCAL_COUNTERS, isStoreUp: () => true, exchanges: () => ({ ok: 0, failed: 0 }), close: async () => {} }
    : openSharedCounters(deps)

function openSharedCounters({ database, valkeyUrl, log }: CounterDeps): OpenCounters {
  const postgres = postgresStore(database.db)
  const valkey = valkeyUrl === undefined ? undefined : new ValkeyStore(valkeyUrl)
  // Connects before the first request, which would count as a loss. The client tries again by itself.
  valkey?.connect().catch(() => {})
  const fallback = valkey && new FallbackStore(valkey, postgres, { signal: database.signal, log })
  const exchanger = new Exchanger(fallback ?? postgres)
  return {
    counters: sharedCounters(exchanger),
    isStoreUp: () => fallback?.isUp ?? true,
    exchanges: () => exchanger.statistics,
    close: async () => {
      await exchanger.close()
      fallback?.close()
      valkey?.close()
    },
  }
}
