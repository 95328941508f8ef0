import { parseArgs } from 'node:util'
import { accessLabels, filterFor } from '../server/src/domains/knowledge/access-filter.ts'
import type { Partition } from '../server/src/domains/retrieval/partition.ts'
import { createRanker } from '../server/src/domains/retrieval/rank.ts'
import { elapsed } from '../server/src/platform/lib/clock.ts'
import { newUuid } from '../server/src/platform/lib/id.ts'
import { ANONYMOUS_USER } from '../server/src/shared/principal.ts'
import type { Viewer } from '../server/src/shared/viewer.ts'
import { rankOnce } from '../server/test/support/rank-once.ts'
import { seeded } from './support/random.ts'
import { startSearchRig } from './support/search-rig.ts'
import { quantile } from './support/statistics.ts'
import { wordOf, zipfChunks } from './support/zipf-chunks.ts'

/**
 * Measures a search of documents that each have another access list, against the same documents under one list, in turns:
 * `scripts/run node bench/access-lists.ts [--postgres URL] [--lists 30000]`.
 */
const { values } = parseArgs({ options: { postgres: { type: 'string' }, lists: { type: 'string', default: '30000' } } })
const LISTS = Number(values.lists)
const ROUNDS = 60

const limits = { classification: null, acl: null }
const labelsOf = (users: readonly string[]) => accessLabels({ classification: null, acl: { users }, limits })
const viewerOf = (id: string): Viewer => ({
  workspaceId: '',
  applicationId: '',
  user: { ...ANONYMOUS_USER, id },
  sessionId: '',
  ceiling: 'public',
})

const rig = await startSearchRig(values.postgres)
try {
  const chunks = zipfChunks(LISTS, 1)
  const entriesFor = (users: (at: number) => readonly string[] | undefined) =>
    chunks.map((chunk, at) => {
      const named = users(at)
      return { id: newUuid(), title: '', text: [...chunk.terms].map(wordOf).join(' '), ...(named && { labels: labelsOf(named) }) }
    })
  const own = await rig.fill(
    'one list',
    'none',
    entriesFor(() => undefined),
  )
  const named = await rig.fill(
    'all name ann',
    'none',
    entriesFor((at) => ['ann', `u${at}`]),
  )
  const few = await rig.fill(
    'one of 1,000 names bob',
    'none',
    entriesFor((at) => [at % 1_000 === 0 ? 'bob' : 'x', `v${at}`]),
  )
  const shared = (partition: Partition, user: string): Partition => ({
    ...partition,
    filter: filterFor(viewerOf(user), { acl: null }),
  })

  const cases: Readonly<Record<string, readonly Partition[]>> = {
    'one list': [own],
    'each another list, all name the user': [shared(named, 'ann')],
    'each another list, no list names the user': [own, shared(few, 'an unnamed user')],
    'each another list, 1 of 1,000 names the user': [shared(few, 'bob')],
    'nothing stored': [],
  }
  const random = seeded(7)
  const times = new Map(Object.keys(cases).map((name) => [name, [] as number[]]))
  const ranker = createRanker()
  for (let round = 0; round < ROUNDS; round++) {
    const chunk = chunks[Math.floor(random() * chunks.length)]
    const query = [...(chunk?.terms.slice(0, 4) ?? [])].map(wordOf).join(' ')
    for (const [name, partitions] of Object.entries(cases)) {
      const started = elapsed()
      await rankOnce(rig.database.db, ranker, rig.workspace, partitions, query, 10)
      times.get(name)?.push(elapsed() - started)
    }
  }
  for (const [name, all] of times) {
    const sorted = all.toSorted((a, b) => a - b)
    console.log(name.padEnd(50), quantile(sorted, 0.5).toFixed(1), quantile(sorted, 0.95).toFixed(1))
  }
} finally {
  await rig[Symbol.asyncDispose]()
}
