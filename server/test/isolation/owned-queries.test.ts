import { afterAll, describe, expect, test } from 'vitest'
import { fromId } from '../../src/platform/lib/id.ts'
import { separateDatabases } from '../support/fresh-database.ts'
import { seedApplication, seedWorkspace } from '../support/seed.ts'
import { findUnlimitedTables, flat, tablesIn } from './statement-ownership.ts'
import { StoreCalls } from './store-calls.ts'
import { runStoreScenario } from './store-scenario.ts'

/** Partition ids start here, so that no other number is mistaken for one. */
const FIRST_PARTITION = 7_000_000_001

/** Store functions for background work on all Workspaces, with the reason. */
const FOR_ALL_WORKSPACES: Readonly<Record<string, string>> = {
  'knowledge/passages.loadChunkTexts': 'texts for embedding, of all Workspaces',
  'memory/memory-row.loadMemoryTexts': 'texts for embedding, of all Workspaces',
  'knowledge/passages.loadChunkEntries': 'texts that an older tokenizer has indexed, of all Workspaces',
  'memory/memory-row.loadMemoryEntries': 'texts that an older tokenizer has indexed, of all Workspaces',
  'retrieval/reindex.reindexOutdated': 'finds a partition that an older tokenizer has indexed, of any Workspace',
  'retrieval/merge.mergePending': 'finds a partition with pending entries, of any Workspace',
  'retrieval/merge.purgeRemoved': 'finds a partition with removed entries, of any Workspace',
  'knowledge/sweep.sweepCollections': 'finds a deleted collection, then names its Workspace',
  'knowledge/sweep.sweepVersions': 'finds a version that has expired, then names its Workspace',
  'knowledge/upload-parts.removeUnusedParts': 'parts of files that no upload has, of all Workspaces',
  'knowledge/upload-store.claimUploads': 'uploads that no node works on, of all Workspaces',
  'knowledge/upload-store.removeFailedUploads': 'files of uploads that failed long ago, of all Workspaces',
  'knowledge/source-store.claimSources': 'sources that are due, of all Workspaces',
  'knowledge/share-partitions.shareSmallPartition': 'finds a small partition, then names its Workspace',
  'knowledge/share-partitions.shareSmallPartitions': 'the small partitions of all Workspaces',
  'knowledge/relabel-sources.relabelDocumentsOfSources': 'finds a source with a changed access list, then names its Workspace',
  'memory/erase.removeExpired': 'finds expired memories, then names their Workspaces and owners',
}

describe('queries of knowledge, memory and retrieval', async () => {
  /** Keys of the other Workspace, for which the scenario ran first. */
  const keys = new Set<string>()
  let workspace = ''
  const [first] = separateDatabases()
  if (!first) throw new Error('There is no database.')
  const fresh = await first.open()
  const { db, pool } = fresh.database
  const calls = new StoreCalls(pool)
  await calls.load()
  await pool.query(`alter table retrieval_partition alter column id restart with ${FIRST_PARTITION}`)
  const run = async () => {
    calls.statements.length = 0
    keys.clear()
    const { workspaceId } = await seedWorkspace(db)
    workspace = String(fromId('ws', workspaceId))
    keys.add(workspace)
    const { applicationId } = await seedApplication(db, workspaceId)
    await runStoreScenario(fresh.database, { workspaceId, applicationId }, calls, keys)
  }
  afterAll(() => fresh.remove())

  /** UUIDs and partition ids among the values of the recorded statements. */
  const sentKeys = () =>
    calls.statements
      .flatMap(({ values }) => values.flatMap(flat).map(String))
      .filter(
        (value) =>
          /^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(value) ||
          (Number(value) >= FIRST_PARTITION && Number(value) < FIRST_PARTITION + 1e6),
      )
  await run()
  const foreignKeys = new Set([workspace, ...sentKeys()])
  await run()
  for (const value of sentKeys()) if (!foreignKeys.has(value)) keys.add(value)

  const limitedStatements = () =>
    calls.statements.filter(({ text, by }) => tablesIn(text).length > 0 && !(by in FOR_ALL_WORKSPACES))

  test('owned queries: the scenario calls every store function', () => {
    expect(calls.functions.size).toBeGreaterThan(30)
    expect([...calls.functions.keys()].filter((name) => !calls.calledNames.has(name)).toSorted()).toEqual([])
    expect(Object.keys(FOR_ALL_WORKSPACES).filter((name) => !calls.functions.has(name))).toEqual([])
  })
  test('owned queries: every statement is limited to the Workspace or to a key that it owns', () => {
    const statements = limitedStatements()
    expect(statements.length).toBeGreaterThan(100)
    const unlimited = statements.flatMap((statement) =>
      findUnlimitedTables(statement, { workspace, keys }).map((table) => `${statement.by}: ${table}: ${statement.text}`),
    )
    expect([...new Set(unlimited)]).toEqual([])
  })
  test('owned queries: the check finds every statement when its conditions are removed', () => {
    const conditional = limitedStatements().filter(({ text }) => !/insert into|unnest\(/.test(text))
    expect(conditional.length).toBeGreaterThan(80)
    const missed = conditional.filter(
      ({ text, values }) =>
        findUnlimitedTables({ text: text.replace(/\$\d+/g, 'null'), values }, { workspace, keys }).length === 0,
    )
    expect(missed.map(({ text }) => text)).toEqual([])
  })
  test('owned queries: no statement uses a key of another Workspace', () => {
    const mixed = calls.statements.filter(
      ({ values, by }) => !(by in FOR_ALL_WORKSPACES) && values.flatMap(flat).some((value) => foreignKeys.has(String(value))),
    )
    expect(mixed.map(({ by, text }) => `${by}: ${text}`)).toEqual([])
  })
  test('owned queries: the check finds a statement when it does not name its Workspace', () => {
    const unlimited = (text: string, ...values: unknown[]) => findUnlimitedTables({ text, values }, { workspace, keys })
    expect(unlimited('select "content" from "memory_item" where "content_hash" = $1', 'x')).toEqual(['memory_item'])
    expect(unlimited('select * from "knowledge_chunk" as "chunk" where "chunk"."id" = $1', crypto.randomUUID())).toEqual([
      'knowledge_chunk',
    ])
    expect(unlimited('select * from "knowledge_chunk" where "workspace_id" = $1', workspace)).toEqual([])
    expect(
      unlimited(
        'select * from "knowledge_chunk" as "chunk" inner join "knowledge_document" as "document" on true where "chunk"."workspace_id" = $1',
        workspace,
      ),
    ).toEqual(['knowledge_document'])
  })
})
