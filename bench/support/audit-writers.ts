import { type WriteSpec, writeRecords } from './audit-write.ts'
import { serveHelper } from './helper-process.ts'

/** A node that only writes audit records, in a process of its own. */
serveHelper(0, (spec: WriteSpec) => writeRecords(spec))
