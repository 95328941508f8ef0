import { serveWith } from './serve-with.ts'

/** The server without slices of budgets: each request asks the database. Production code has no such switch. */
await serveWith({ usesBudgetSlices: false })
