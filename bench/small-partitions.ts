import { parseArgs } from 'node:util'
import { createCollection } from '../server/src/domains/knowledge/collection-store.ts'
import { shareSmallPartition } from '../server/src/domains/knowledge/share-partitions.ts'
import { visiblePartitions } from '../server/src/domains/knowledge/visibility.ts'
import { addEntries } from '../server/src/domains/retrieval/entries.ts'
import { mergePending, purgeRemoved } from '../server/src/domains/retrieval/merge.ts'
import { openPartition } from '../server/src/domains/retrieval/partition.ts'
import { createRanker } from '../server/src/domains/retrieval/rank.ts'
import type { Tx } from '../server/src/platform/db/database.ts'
import { elapsed } from '../server/src/platform/lib/clock.ts'
import { fromId, newUuid, toId } from '../server/src/platform/lib/id.ts'
import { ANONYMOUS_USER } from '../server/src/shared/principal.ts'
import type { Viewer } from '../server/src/shared/viewer.ts'
import { rankOnce } from '../server/test/support/rank-once.ts'
import { seeded } from './support/random.ts'
import { startSearchRig } from './support/search-rig.ts'
import { quantile } from './support/statistics.ts'
import { wordOf, zipfChunks } from './support/zipf-chunks.ts'

/**
 * Measures a search of documents that each have a partition of their own, as a former release stored them, before and after their partitions are
 * moved into the shared one: `scripts/run node bench/small-partitions.ts [--postgres URL] [--lists 30000]`.
 */
const { values } = parseArgs({ options: { postgres: { type: 'string' }, lists: { type: 'string', default: '30000' } } })
const LISTS = Number(values.lists)
const ROUNDS = 40
const BATCH = 250

const rig = await startSearchRig(values.postgres)
const { db } = rig.database
const workspaceId = toId('ws', rig.workspace)
const now = new Date()
const chunks = zipfChunks(LISTS, 1)

const collection = await db
  .transaction()
  .execute((tx) => createCollection(tx, workspaceId, { name: 'bench', acl: { everyone: true }, classification: 'public' }, now))
if (!collection) throw new Error('no collection')
const collectionUuid = fromId('col', collection.id) ?? ''

/** Stores a document whose ACL names ann and one other user, in a partition of these users. */
async function storeAlone(tx: Tx, at: number): Promise<void> {
  const access = { classification: null, acl: { users: ['ann', `u${at}`] }, limits: { classification: null, acl: null } }
  const text = [...(chunks[at]?.terms ?? [])].map(wordOf).join(' ')
  const partition = await openPartition(tx, rig.workspace, 'knowledge', `own ${at}`, 'none')
  const [id, chunk] = [newUuid(), newUuid()]
  const owner = { workspace_id: rig.workspace, collection_id: collectionUuid }
  const own = { id: partition.id, ...owner, language: 'none' as const, access: JSON.stringify(access) }
  await tx.insertInto('knowledge_partition').values(own).execute()
  await tx
    .insertInto('knowledge_document')
    .values({
      ...{ id, ...owner, key: `${at}`, title: `${at}`, version: 1, content_hash: Buffer.alloc(32), media_type: 'text/plain' },
      ...{ bytes: text.length, source: `${at}`, classification: null, regulations: '[]', acl: JSON.stringify(access.acl) },
      ...{ limits: JSON.stringify({ classification: null, regulations: [], acl: null }), flags: null, warnings: '[]', chunks: 1 },
      ...{ partition_id: partition.id, failure: null, parent_id: null, created_at: now, updated_at: now },
    })
    .execute()
  await tx
    .insertInto('knowledge_chunk')
    .values({
      ...{ id: chunk, workspace_id: rig.workspace, document_id: id, position: 0, headings: '[]', content: text },
      ...{ tokens: 100, flagged: false, partition_id: partition.id },
    })
    .execute()
  await addEntries(tx, partition, [{ id: chunk, title: '', text }])
}

async function measure(name: string): Promise<void> {
  const ranker = createRanker()
  for (const user of ['ann', 'a user whom no list names']) {
    const viewer: Viewer = {
      ...{ workspaceId, applicationId: '', sessionId: '', ceiling: 'public' },
      user: { ...ANONYMOUS_USER, id: user },
    }
    const random = seeded(7)
    const times: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const terms = chunks[Math.floor(random() * chunks.length)]?.terms.slice(0, 4) ?? []
      const started = elapsed()
      const visible = await visiblePartitions(db, viewer, { collections: undefined })
      if (visible.length > 0) await rankOnce(db, ranker, rig.workspace, visible, [...terms].map(wordOf).join(' '), 10)
      times.push(elapsed() - started)
    }
    const sorted = times.toSorted((a, b) => a - b)
    console.log(`${name}, ${user}`.padEnd(60), quantile(sorted, 0.5).toFixed(1), quantile(sorted, 0.95).toFixed(1))
  }
}

const mergeAll = async (): Promise<void> => {
  while (await mergePending(db, BATCH));
  while (await purgeRemoved(db, BATCH));
}

try {
  for (let at = 0; at < LISTS; at += BATCH)
    await db.transaction().execute(async (tx) => {
      for (let one = at; one < Math.min(at + BATCH, LISTS); one++) await storeAlone(tx, one)
    })
  await mergeAll()
  await measure(`${LISTS} partitions`)
  const steps: number[] = []
  const started = elapsed()
  for (let after: number | undefined = 0; after !== undefined; ) {
    const before = elapsed()
    after = await shareSmallPartition(db, { after })
    steps.push(elapsed() - before)
    if (steps.length % BATCH === 0) await mergeAll()
  }
  const sorted = steps.toSorted((a, b) => a - b)
  console.log(
    `moved in ${((elapsed() - started) / 1_000).toFixed(0)} s; a step: ${quantile(sorted, 0.5).toFixed(1)} ms, p95`,
    quantile(sorted, 0.95).toFixed(1),
  )
  await mergeAll()
  await measure('one shared partition')
} finally {
  await rig[Symbol.asyncDispose]()
}
