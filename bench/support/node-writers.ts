import { createWorkspaceKeys } from '../../server/src/domains/audit/workspace-keys.ts'
import { createWorkspace } from '../../server/src/domains/identity/workspace-store.ts'
import { openDatabase } from '../../server/src/platform/db/database.ts'
import { systemClock } from '../../server/src/platform/lib/clock.ts'
import { newId } from '../../server/src/platform/lib/id.ts'
import { secretBox } from '../../server/src/platform/lib/secret-box.ts'
import { BENCH_SECRET, type WriteSpec, type Written } from './audit-write.ts'
import { limitCpu } from './cpu-limit.ts'
import { type Helper, startHelper } from './helper-process.ts'
import { spread } from './statistics.ts'

const CONCURRENCY = 192
const ROUNDS = 3

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

/** Appends records from one, two and three processes at once. Returns the records a second of each. */
export async function measureWriters({ url, workspaceIds, seconds, cores }: Plan): Promise<number[]> {
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
    const figures: number[] = []
    for (const nodes of [1, 2, 3]) {
      const rounds: number[] = []
      for (let round = 0; round < ROUNDS; round++) rounds.push(await measure(nodes))
      figures.push(spread(rounds).median)
    }
    return figures
  } finally {
    await Promise.all(helpers.map((helper) => helper.stop()))
    for (const limit of limits) limit[Symbol.dispose]()
  }
}
