import { serveWith } from './serve-with.ts'

/** Longer than the lease of a claimed release (GATEHOUSE_PROVIDER_TOTAL_MS and 15 minutes), and shorter than the expiry of a hold. */
const AHEAD_MS = 90 * 60_000

/**
 * The server with its clock an hour and a half ahead. On PostgreSQL a node waits for the lease of a claim, because it cannot know that the
 * claiming node is dead. The clock saves that wait.
 */
await serveWith({ clock: { now: () => new Date(Date.now() + AHEAD_MS) } })
