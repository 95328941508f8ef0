import { readdirSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { countFindings } from '../../src/domain/finding.ts'
import { SHARED_SCOPES } from '../../src/domain/memory-words.ts'
import { ANONYMOUS_USER } from '../../src/domain/principal.ts'
import type { Viewer } from '../../src/domain/viewer.ts'
import { fromId, newId } from '../../src/lib/id.ts'
import { type FreshDatabase, freshDatabases } from '../support/fresh-database.ts'
import { seedApplication, seedWorkspace } from '../support/seed.ts'
import { onStatement, type Statement } from '../support/statement-listener.ts'

const FOLDERS = ['knowledge', 'memory', 'retrieval']
const OWNED = /^(?:knowledge|memory|retrieval)_/
/** Partition ids start here, so that none is taken for another number. */
const FIRST_PARTITION = 7_000_000_001

/** Store functions that look after all Workspaces, in the background or for another that has asked for the Workspace already. */
const FOR_ALL: Readonly<Record<string, string>> = {
  'knowledge/passages.loadChunkTexts': 'texts for embedding, whoever they belong to',
  'memory/texts.loadMemoryTexts': 'texts for embedding, whoever they belong to',
  'knowledge/sweep.sweepCollections': 'what is left of deleted collections: it finds one, then names its Workspace',
  'memory/erase.removeExpired': 'whatever has expired: it finds some, then names their Workspaces and owners',
}

type Call = (...args: never[]) => unknown
/** Exported functions that take a database, a transaction or a pool first, by folder, file and name. */
const stores = new Map<string, Call>()
const heard: (Statement & { readonly by: string })[] = []
const called = new Set<string>()
let by = 'nobody'
let fresh: FreshDatabase
/** Everything by which Workspace A and what it owns is known. */
const keys = new Set<string>()
let workspace = ''

async function readStores(): Promise<void> {
  for (const folder of FOLDERS) {
    const root = new URL(`../../src/${folder}/`, import.meta.url)
    for (const file of readdirSync(root).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))) {
      const module: Record<string, unknown> = await import(new URL(file, root).href)
      for (const [name, value] of Object.entries(module)) {
        const takesDatabase =
          /^(?:async )?(?:function\*?\s*\w*)?\s*\(\s*(?:tx|db|pool)\b|^(?:async )?function\*?\s*\w+\s*\(\s*\{\s*(?:db|pool)\b/
        if (typeof value === 'function' && takesDatabase.test(value.toString())) {
          stores.set(`${folder}/${file.slice(0, -3)}.${name}`, value as Call)
        }
      }
    }
  }
}

/** Calls a store function by its full name, so that what it sends is known to be its own. */
function call<T>(name: string, ...args: unknown[]): Promise<T> {
  const found = stores.get(name)
  if (!found) throw new Error(`no store function: ${name}`)
  called.add(name)
  const before = by
  by = name
  const answer = (found as (...args: unknown[]) => unknown)(...args)
  const settled = isBatches(answer) ? Array.fromAsync(answer).then((batches) => batches.flat()) : Promise.resolve(answer)
  return settled.finally(() => {
    by = before
  }) as Promise<T>
}
const isBatches = (value: unknown): value is AsyncIterable<unknown[]> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value

const NOW = new Date('2026-03-02T09:00:00Z')
const clock = { now: () => NOW }
const hasher = { known: (_: string, text: string) => [Buffer.from(text).toString('hex')] }
const scanText = () => countFindings([])

/** Everything that can be done with documents and memories of one Workspace, once. */
async function scenario(workspaceId: string, applicationId: string): Promise<void> {
  const { db, pool } = fresh.database
  const uuid = String(fromId('ws', workspaceId))
  const transact = <T>(work: (tx: unknown, now: Date) => Promise<T>) => db.transaction().execute((tx) => work(tx, NOW))
  const page = { limit: 10 }
  const { createRanker } = await import('../../src/retrieval/rank.ts')
  const ranker = createRanker({ db, pool })
  const user = { ...ANONYMOUS_USER, id: 'mara', department: 'hangar', attributes: { projects: ['apollo'] } }
  const viewer: Viewer = {
    workspaceId,
    applicationId,
    user,
    sessionId: 'morning',
    ceiling: 'restricted',
    assertionScopes: SHARED_SCOPES,
  }

  const create = { name: 'collection', classification: 'internal', acl: { everyone: true } }
  const { id: collectionId } = await transact((tx) =>
    call<{ id: string }>('knowledge/collection-store.createCollection', tx, workspaceId, create, NOW),
  )
  const ingest = async (text: string, more: object = {}) => {
    const incoming = { key: 'page', name: 'page.md', bytes: Buffer.from(text), ...more }
    const deps = { db, scanText, transact }
    return (await call<{ documentId: string }>('knowledge/ingest.ingestDocument', deps, workspaceId, collectionId, incoming))
      .documentId
  }
  const documentId = await ingest('amber and beryl')
  await ingest('amber and coral')
  await ingest('amber and coral', { acl: { users: ['mara'] } })
  const other = await ingest('something else', { key: 'other' })
  await call('knowledge/collection-store.findCollection', db, workspaceId, collectionId)
  await call('knowledge/collection-store.findCollectionByName', db, workspaceId, 'collection')
  await call('knowledge/collection-store.listCollections', db, workspaceId, { ...page, after: newId('col') })
  await transact((tx) =>
    call('knowledge/collection-store.updateCollection', tx, workspaceId, collectionId, { description: 'x' }, NOW),
  )
  const collection = await transact((tx) =>
    call<object>('knowledge/collection-store.lockCollection', tx, workspaceId, collectionId),
  )
  await call('knowledge/document-store.findDocument', db, workspaceId, documentId)
  await call('knowledge/document-store.findDocumentByKey', db, workspaceId, collectionId, 'page')
  await call('knowledge/document-store.listDocuments', db, workspaceId, { ...page, collectionId, flagged: true })
  await transact((tx) => call('knowledge/document-store.clearFlags', tx, workspaceId, documentId))
  const held = await transact((tx) =>
    call<{ document: { id: string; title: string; partitionId: number } }>(
      'knowledge/document-store.lockDocument',
      tx,
      workspaceId,
      documentId,
    ),
  )
  await call('knowledge/chunk-list.listChunks', db, workspaceId, documentId, { from: 0, limit: 10 })
  const visible = await call<{ id: string }[]>('knowledge/visibility.visiblePartitions', db, viewer, undefined)
  const ranked = await call<{ id: string }[]>('retrieval/lexical.rankLexically', pool, uuid, visible, 'amber corall', 10)
  expect(ranked).toHaveLength(1)
  expect(await call('knowledge/passages.loadPassages', db, workspaceId, visible, ranked)).toHaveLength(1)
  const labelled = await call<{ id: string }[]>('knowledge/visibility.labelledPartitions', db, workspaceId, undefined)
  expect(await call('knowledge/passages.loadPassagesWithPartition', db, workspaceId, labelled, ranked)).toHaveLength(1)
  await call(
    'knowledge/passages.loadChunkTexts',
    db,
    ranked.map(({ id }) => id),
  )
  await call('knowledge/search.searchKnowledge', { db, ranker }, viewer, { text: 'amber', collections: undefined })
  const scope = await call<object>('retrieval/scope.readScope', pool, uuid, visible)
  const { parseQuery } = await import('../../src/retrieval/query.ts')
  await call('retrieval/fuzzy.findSimilar', pool, scope, parseQuery('corrall', ['en']))
  await transact((tx) =>
    call('knowledge/relabel.relabelDocument', tx, workspaceId, documentId, { classification: 'confidential' }),
  )
  await transact(async (tx) => {
    const { document } = held
    const labels = { classification: 'public', acl: null, limits: { classification: null, acl: null } }
    const partition = await call<{ id: number }>('knowledge/partitions.partitionFor', tx, collection, labels)
    const holder = { workspace: uuid, document: String(fromId('doc', other)), title: 'x' }
    await call('knowledge/chunk-store.moveChunks', tx, holder, partition)
    await call('knowledge/chunk-store.removeChunks', tx, uuid, [holder.document])
    await call('knowledge/chunk-store.addChunks', tx, holder, partition, [
      { position: 0, headings: [], content: 'something else', tokens: 2, flagged: false },
    ])
    await call('knowledge/partitions.deleteIfEmpty', tx, workspaceId, document.partitionId)
    const stored = await call<object>('knowledge/document-store.findDocument', tx, workspaceId, other)
    await call('knowledge/relabel.relabel', tx, collection, stored, { classification: 'restricted' })
  })
  await transact((tx) => call('knowledge/document-store.deleteDocument', tx, workspaceId, documentId))
  await transact((tx) => call('knowledge/collection-store.deleteCollection', tx, workspaceId, collectionId, NOW))
  while (await call<boolean>('knowledge/sweep.sweepCollections', db, 10));

  await transact(async (tx) => {
    const partition = await call<{ id: number }>('retrieval/partition.openPartition', tx, uuid, 'knowledge', 'x', 'en')
    const entry = { id: crypto.randomUUID(), title: '', text: 'amber' }
    await call('retrieval/entries.addEntries', tx, partition, [entry])
    keys.add(String(partition.id)).add(entry.id)
    await call('retrieval/partition.lockPartitions', tx, [partition.id])
    await call('retrieval/entries.removeEntries', tx, [entry.id])
  })

  const keep = (content: string, scopeOf: string, more: object = {}) =>
    transact((tx) =>
      call<{ id: string }>(
        'memory/capture.storeMemory',
        tx,
        viewer,
        { ...DRAFT, id: newId('mem'), auditId: newId('aud'), content, scope: scopeOf, scopeId: 'hangar', ...more },
        hasher,
        NOW,
      ),
    )
  const { id } = await keep('My favourite tea is Assam.', 'user')
  await keep('My favourite tea is Assam!', 'user', { classification: 'confidential' })
  const { id: latest } = await keep('My favourite tea is Darjeeling.', 'user', { classification: 'confidential' })
  for (const scopeOf of ['session', 'application', 'department', 'workspace']) await keep('tea', scopeOf)
  const { id: due } = await keep('tea for a while', 'workspace', { expiresAt: new Date(NOW.getTime() + 1) })
  await call('memory/memory-store.findMemory', db, workspaceId, id, NOW)
  await call('memory/memory-store.listMemories', db, workspaceId, {
    ...page,
    now: NOW,
    userId: 'mara',
    scope: 'user',
    scopeId: 'mara',
    applicationId,
    history: true,
  })
  expect(await call('memory/recall.recallMemories', { db, ranker, clock }, viewer, { text: 'tea' })).not.toHaveLength(0)
  await call('memory/texts.loadMemoryTexts', db, [String(fromId('mem', due))])
  const correction = { content: 'My favourite tea is Oolong.', summary: null, classification: 'confidential' }
  await transact((tx) => call('memory/memory-store.correctMemory', tx, workspaceId, latest, correction, hasher, NOW))
  await call('memory/memory-row.memoriesOf', db, uuid)
  await call('memory/memory-row.unexpiredMemoriesOf', db, uuid, NOW)
  const owner = { workspaceId, scope: 'user', scopeId: 'mara', applicationId: null, userId: 'mara' }
  await call('memory/owner-store.findMemoryPartitions', db, [owner], ['internal'])
  await transact(async (tx) => {
    const heldOwner = await call<{ id: string }>('memory/owner-store.lockOwner', tx, owner)
    keys.add(heldOwner.id)
    await call('memory/owner-store.lockOwners', tx, [heldOwner.id])
    await call('memory/owner-store.openMemoryPartition', tx, heldOwner, 'public')
    const placing = {
      ...DRAFT,
      id: newId('mem'),
      auditId: newId('aud'),
      content: 'coffee',
      applicationId,
      subject: 'drink',
      ceiling: 'restricted',
    }
    const placed = await call<{ id: string }>('memory/upsert-memory.upsertMemory', tx, heldOwner, placing, hasher, NOW)
    await call('memory/erase.removeMemories', tx, heldOwner, [fromId('mem', placed.id)])
    await call('memory/owner-store.deleteEmptyOwners', tx, uuid, [heldOwner.id])
  })
  await call('memory/erase.removeExpired', db, new Date(NOW.getTime() + 2), 10)
  await transact((tx) => call('memory/erase.eraseMemory', tx, workspaceId, id))
  await transact((tx) => call('memory/erase.eraseUser', tx, workspaceId, 'mara'))
}

const DRAFT = {
  kind: 'preference',
  summary: null,
  classification: 'internal',
  regulations: [],
  expiresAt: null,
  mode: 'active',
  source: 'capture',
}

/** The tables a statement names, each with the name by which its columns are called. */
function tablesIn(text: string): Named[] {
  const found = text.matchAll(
    /\b(?:from|join|into|update|using)\s+"?((?:knowledge|memory|retrieval)_\w+)"?(?:\s+(?:as\s+)?"?(?!where\b|set\b|join\b|on\b|using\b|order\b|group\b|inner\b|left\b|cross\b|values\b)([a-z]\w*)"?)?/g,
  )
  return [...found].map(([, table = '', alias]) => ({ table, alias: alias ?? table }))
}

/**
 * Besides the Workspace, what narrows a table to one owner: keys that can only have come from a row that was narrowed before. Ids that
 * callers name (documents, chunks, memories) are none.
 */
const OWNER_KEYS: Readonly<Record<string, readonly string[]>> = {
  knowledge_partition: ['id'],
  knowledge_document: ['partition_id'],
  knowledge_chunk: ['partition_id'],
  memory_owner: ['id'],
  memory_partition: ['owner_id'],
  memory_item: ['owner_id'],
  retrieval_partition: ['id'],
  retrieval_entry: ['partition_id', 'id'],
  retrieval_posting: ['partition_id'],
  retrieval_vector: ['partition_id'],
}

interface Named {
  readonly table: string
  readonly alias: string
}

/** Whether a table is narrowed to what Workspace A owns: by its Workspace, by an owner's key, or by a join to one that is. */
function narrowed(one: Named, statement: Statement, all: readonly Named[], seen: readonly Named[] = []): boolean {
  const text = statement.text.replaceAll('"', '')
  // Without a name before it, a column is the first table's.
  const called = one === all[0] ? `(?:\\b${one.alias}\\.|(?<![.\\w]))` : `\\b${one.alias}\\.`
  const isBound = (column: string, own: (value: string) => boolean): boolean => {
    const conditions = text.matchAll(new RegExp(`${called}${column} (?:= (?:any\\()?|in \\()\\$(\\d+)`, 'g'))
    return [...conditions].some(([, place = '']) =>
      flat(statement.values[Number(place) - 1]).every((value) => own(String(value))),
    )
  }
  if (isBound('workspace_id', (value) => value === workspace)) return true
  if ((OWNER_KEYS[one.table] ?? []).some((column) => isBound(column, (value) => keys.has(value)))) return true
  return all
    .filter((other) => other !== one && !seen.includes(other))
    .filter((other) => {
      const key = '(?:\\w+_)?id'
      const joins = [
        `\\b${one.alias}\\.${key} = ${other.alias}\\.${key}`,
        `\\b${other.alias}\\.${key} = ${one.alias}\\.${key}`,
        `(?<![.\\w])\\w+_id = ${other.alias}\\.id`,
      ]
      return joins.some((join) => new RegExp(join).test(text))
    })
    .some((other) => narrowed(other, statement, all, [...seen, one]))
}

const flat = (value: unknown): unknown[] =>
  Array.isArray(value) ? value : typeof value === 'string' && /^\{.*\}$/.test(value) ? value.slice(1, -1).split(',') : [value]

/** What is wrong with a statement: a table of ours that it reads or writes beyond what A owns. */
function problemsOf(statement: Statement): string[] {
  const text = statement.text.replaceAll('"', '')
  const tables = tablesIn(statement.text).filter(({ table }) => OWNED.test(table))
  const values = statement.values.flatMap(flat).map(String)
  return tables
    .filter((one) => {
      const listed =
        new RegExp(`insert into ${one.table}\\b`).test(text) || (one.table.startsWith('retrieval_') && text.includes('unnest('))
      return listed ? !values.some((value) => keys.has(value)) : !narrowed(one, statement, tables)
    })
    .map(({ table }) => table)
}

describe('queries of knowledge, memory and retrieval', () => {
  let foreign: Set<string>
  beforeAll(async () => {
    const [first] = freshDatabases()
    if (!first) throw new Error('no database')
    fresh = await first.open()
    await readStores()
    const { db, pool } = fresh.database
    await pool.query(`alter table retrieval_partition alter column id restart with ${FIRST_PARTITION}`)
    onStatement(pool, (statement) => heard.push({ ...statement, by }))
    const { workspaceId: theirs } = await seedWorkspace(db)
    await scenario(theirs, (await seedApplication(db, theirs)).applicationId)
    foreign = new Set([String(fromId('ws', theirs)), ...valuesHeard()])
    heard.length = 0
    keys.clear()
    const { workspaceId } = await seedWorkspace(db)
    workspace = String(fromId('ws', workspaceId))
    keys.add(workspace)
    await scenario(workspaceId, (await seedApplication(db, workspaceId)).applicationId)
    // Whatever was made for this Workspace is a key of it.
    for (const value of valuesHeard()) if (!foreign.has(value)) keys.add(value)
  })
  afterAll(() => fresh.remove())

  /** UUIDs and partition ids that statements were sent with. */
  const valuesHeard = () =>
    heard
      .flatMap(({ values }) => values.flatMap(flat).map(String))
      .filter(
        (value) =>
          /^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(value) ||
          (Number(value) >= FIRST_PARTITION && Number(value) < FIRST_PARTITION + 1e6),
      )

  test('owned queries: the scenario calls every store function', () => {
    expect(stores.size).toBeGreaterThan(30)
    expect([...stores.keys()].filter((name) => !called.has(name)).toSorted()).toEqual([])
    expect(Object.keys(FOR_ALL).filter((name) => !stores.has(name))).toEqual([])
  })
  test('owned queries: every statement is limited to the Workspace or to a key that it owns', () => {
    const ours = heard.filter(({ text, by: name }) => tablesIn(text).length > 0 && !(name in FOR_ALL))
    expect(ours.length).toBeGreaterThan(100)
    const wide = ours.flatMap((statement) => problemsOf(statement).map((table) => `${statement.by}: ${table}: ${statement.text}`))
    expect([...new Set(wide)]).toEqual([])
  })
  test('owned queries: the check finds every statement when its conditions are removed', () => {
    const ours = heard.filter(({ text, by: name }) => tablesIn(text).length > 0 && !(name in FOR_ALL))
    const conditional = ours.filter(({ text }) => !/insert into|unnest\(/.test(text))
    expect(conditional.length).toBeGreaterThan(80)
    const loose = conditional.filter(
      ({ text, values }) => problemsOf({ text: text.replace(/\$\d+/g, 'null'), values }).length === 0,
    )
    expect(loose.map(({ text }) => text)).toEqual([])
  })
  test('owned queries: no statement uses a key of another Workspace', () => {
    const mixed = heard.filter(
      ({ values, by: name }) => !(name in FOR_ALL) && values.flatMap(flat).some((value) => foreign.has(String(value))),
    )
    expect(mixed.map(({ by: name, text }) => `${name}: ${text}`)).toEqual([])
  })
  test('owned queries: the check finds a statement when it does not name its Workspace', () => {
    const asked = (text: string, ...values: unknown[]) => problemsOf({ text, values })
    expect(asked('select "content" from "memory_item" where "content_hash" = $1', 'x')).toEqual(['memory_item'])
    expect(asked('select * from "knowledge_chunk" as "chunk" where "chunk"."id" = $1', crypto.randomUUID())).toEqual([
      'knowledge_chunk',
    ])
    expect(asked('select * from "knowledge_chunk" where "workspace_id" = $1', workspace)).toEqual([])
    expect(
      asked(
        'select * from "knowledge_chunk" as "chunk" inner join "knowledge_document" as "document" on true where "chunk"."workspace_id" = $1',
        workspace,
      ),
    ).toEqual(['knowledge_document'])
  })
})
