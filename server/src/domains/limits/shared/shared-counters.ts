import { createHash } from 'node:crypto'
import type { Counters } from '../counters.ts'
import type { Exchanger } from './exchanger.ts'
import { RateLease } from './rate-lease.ts'
import { SlotLease } from './slot-lease.ts'

/** Counters whose limits all nodes share. */
export const sharedCounters = (exchanger: Exchanger): Counters => ({
  rate: (key, rate) => new RateLease(anonymous(key), rate, exchanger),
  slots: (key, capacity, onFree) => new SlotLease(anonymous(key), capacity, exchanger, onFree),
})

/** Keys name users, and the stores hold no personal data. */
const anonymous = (key: string): string => createHash('sha256').update(key).digest('base64url')
