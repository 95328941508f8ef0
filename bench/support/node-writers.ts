import { createWorkspaceKeys } from '../../server/src/audit/workspace-keys.ts'
import { openDatabase } from '../../server/src/db/database.ts'
import { createWorkspace } from '../../server/src/identity/workspace-store.ts'
import { systemClock } from '../../server/src/lib/clock.ts'
import { newId } from '../../server/src/lib/id.ts'
import { secretBox } from '../../server/src/lib/secret-box.ts'
import { BENCH_SECRET, type WriteSpec, type Written } from './audit-write.ts'
import { limitCpu } from './cpu-limit.ts'
import { type Helper, startHelper } from './helper-process.ts'

/** Records a second by the number of nodes that write. */
export interface WriterFigures {
  readonly nodes: number
  readonly records: number
}

const CONCURRENCY = 192

/** Creates Workspaces in the database at `url`, which also migrates it. Returns their ids. */
export async function createWorkspaces(url: string, count: number): Promise<string[]> {
  const database = await openDatabase({ url, dataDir: '', poolSize: 2, onError: () => {}, onProgress: () => {} })
  const box = secretBox(BENCH_SECRET, 'workspace')
  const ids: string[] = []
  for (let index = 0; index < count; index++) {
    const id = newId('ws')
    const keys = createWorkspaceKeys(box, id)
    await database.db.transaction().execute((tx) => createWorkspace(tx, id, { name: `bench ${id}` }, keys, systemClock.now()))
    ids.push(id)
  }
  await database.close()
  return ids
}

interface Plan {
  /** Of the database, maybe through a relay. */
  readonly url: string
  readonly workspaceIds: readonly string[]
  readonly seconds: number
  /** CPU of one node. */
  readonly cores: number
}

/** Appends records from one, two and three processes at once. */
export async function measureWriters({ url, workspaceIds, seconds, cores }: Plan): Promise<WriterFigures[]> {
  const helpers: Helper[] = []
  for (let node = 0; node < 3; node++) helpers.push(await startHelper(new URL('./audit-writers.ts', import.meta.url)))
  const limits = helpers.map(({ pid }) => limitCpu(pid, cores))
  const measure = async (nodes: number): Promise<number> => {
    const spec: WriteSpec = { url, workspaceIds, concurrency: CONCURRENCY / nodes, seconds }
    const written = await Promise.all(helpers.slice(0, nodes).map((helper) => helper.ask<Written>(spec)))
    return written.reduce((sum, { records, seconds: took }) => sum + records / took, 0)
  }
  try {
    await measure(1)
    const figures: WriterFigures[] = []
    for (const nodes of [1, 2, 3]) {
      const rounds: number[] = []
      for (let round = 0; round < 3; round++) rounds.push(await measure(nodes))
      figures.push({ nodes, records: median(rounds) })
    }
    return figures
  } finally {
    await Promise.all(helpers.map((helper) => helper.stop()))
    for (const limit of limits) limit[Symbol.dispose]()
  }
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
