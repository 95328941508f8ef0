import { Bucket } from './bucket.ts'
import type { Counters } from './counters.ts'
import { LocalSlots } from './local-slots.ts'

/** Counters in the memory of this process, for the embedded database: no other process uses it. */
export const LOCAL_COUNTERS: Counters = {
  rate: (_key, rate, now) => new Bucket(rate, now),
  slots: (_key, capacity, onFree) => new LocalSlots(capacity, onFree),
}
