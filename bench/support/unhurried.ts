import { UserRateLimiter } from '../../server/src/messaging/api/user-rate-limiter.ts'
import { serveWith } from './serve-with.ts'

/** The same server with a userRateLimiter of messaging that nobody reaches: it is still counted for every request. Production code has no such switch. */
const rate = { perMinute: 60_000_000, capacity: 1_000_000 }
await serveWith({ userRateLimiter: new UserRateLimiter({ send: rate, other: rate }) })
