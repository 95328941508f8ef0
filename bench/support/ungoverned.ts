import { serveWith } from './serve-with.ts'

/**
 * The server without detectors and with an audit writer that drops the records. The benchmark publishes an empty policy set.
 * Production code has no such switch.
 */
await serveWith({
  detectors: [],
  audit: {
    append: async (_workspaceId, draft) => ({ ...draft, integrity: { sequence: 0, prev_hash: '', hash: '' } }),
    chain: async () => {},
    leavesPending: false,
    drain: async () => {},
    waiting: 0,
    lagSeconds: 0,
  },
})
