import { Pace } from '../../server/src/messaging/door/pace.ts'
import { serveWith } from './serve-with.ts'

/** The same server with a pace of messaging that nobody reaches: it is still counted for every request. Production code has no such switch. */
const rate = { perMinute: 60_000_000, capacity: 1_000_000 }
await serveWith({ pace: new Pace({ send: rate, call: rate }) })
