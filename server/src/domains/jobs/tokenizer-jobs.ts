import type { Db } from '../../platform/db/database.ts'
import { loadChunkEntries } from '../knowledge/passages.ts'
import { loadMemoryEntries } from '../memory/memory-row.ts'
import { fillMessageWords } from '../messaging/messages/message-words.ts'
import { reindexOutdated } from '../retrieval/reindex.ts'
import type { Job } from './jobs.ts'

const MINUTE = 60_000
/** Few rows, because a transaction blocks the embedded database. An entry takes it about 10 ms. */
const MESSAGES = 50
const ENTRIES = 5
const LOAD_ENTRIES = { knowledge: loadChunkEntries, memory: loadMemoryEntries }

export interface TokenizerJobDeps {
  readonly db: Db
}

/** Index texts again that an older tokenizer has indexed. */
export const tokenizerJobs = ({ db }: TokenizerJobDeps): Job[] => {
  const job = (name: string, run: () => Promise<number>): Job => ({
    name,
    oncePerNode: true,
    everyMs: MINUTE,
    async run() {
      while ((await run()) > 0);
    },
  })
  return [
    job('store words of older messages', () => fillMessageWords(db, MESSAGES)),
    job('index older documents and memories again', () => reindexOutdated(db, LOAD_ENTRIES, ENTRIES)),
  ]
}
