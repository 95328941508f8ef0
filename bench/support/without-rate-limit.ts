import { UserRateLimiter } from '../../server/src/domains/messaging/people/user-rate-limiter.ts'
import { serveWith } from './serve-with.ts'

/** The server with rate limits for messaging that no benchmark reaches. Requests are still counted. Production code has no such switch. */
const rate = { perMinute: 60_000_000, capacity: 1_000_000 }
await serveWith({ userRateLimiter: new UserRateLimiter({ send: rate, other: rate }) })
