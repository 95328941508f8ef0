import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabases } from '../../test/support/fresh-database.ts'
import { seedApplication, seedWorkspace, TEST_SECRET_KEY } from '../../test/support/seed.ts'
import { uuidOf } from '../db/values.ts'
import { newUuid } from '../lib/id.ts'
import { openFileStore } from '../messaging/attachments/open-file-store.ts'
import { exportData } from './export.ts'
import { importData } from './import.ts'

const clock = { now: () => new Date('2026-03-02T09:00:00Z') }
const secrets = { secretKey: TEST_SECRET_KEY }
const silent = { onProgress: () => {}, onSkipped: () => {} }
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Owner of the memories. */
const owner = newUuid()

/** A table of an export with one row, by column. */
type CraftedTable = readonly [table: string, row: Readonly<Record<string, string>>]

describe.each(freshDatabases())('exports of one Workspace into $name', ({ open }) => {
  let fresh: FreshDatabase
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-crafted-'))
  const files = openFileStore({ kind: 'folder', path: join(folder, 'files') })
  const file = join(folder, 'export.gz')
  let own: { readonly workspace: string; readonly application: string }
  let other: typeof own
  const deps = () => ({ db: fresh.database.db, files, secrets, clock })

  /** A Workspace with an Application and an attachment. */
  const seed = async () => {
    const { workspaceId } = await seedWorkspace(fresh.database.db)
    const { applicationId } = await seedApplication(fresh.database.db, workspaceId)
    return { id: workspaceId, workspace: uuidOf('ws', workspaceId), application: uuidOf('app', applicationId) }
  }
  beforeAll(async () => {
    fresh = await open()
  })
  afterAll(async () => {
    await fresh.remove()
    rmSync(folder, { recursive: true })
  })
  beforeEach(async () => {
    await fresh.empty()
    const { id, ...rest } = await seed()
    own = rest
    await replaceMemories()
    await exportData(deps(), { path: file, workspace: { id, name: 'own' }, ...silent })
    await fresh.empty()
    other = await seed()
  })

  /** More memories than a batch has, of which the first has replaced the last. */
  async function replaceMemories(): Promise<void> {
    const { db } = fresh.database
    await sql`insert into memory_owner (id, workspace_id, key, scope, scope_id)
      values (${owner}, ${own.workspace}, 'k', 'user', 'ann')`.execute(db)
    await sql`insert into memory_item (id, workspace_id, owner_id, application_id, kind, content, classification, regulations,
        content_hash, signature, mode, source, audit_id, created_at)
      select lpad(i::text, 32, '0')::uuid, ${own.workspace}, ${owner}, ${own.application}, 'fact', 'text', 'internal', '[]',
        'h' || i, 's' || i, 'active', 'api', gen_random_uuid(), now() from generate_series(1, 501) as i`.execute(db)
    await sql`update memory_item set superseded_at = now(), superseded_by = lpad('1', 32, '0')::uuid
      where id = lpad('501', 32, '0')::uuid`.execute(db)
  }

  /** Adds tables before the end of the export. */
  function add(...tables: readonly CraftedTable[]): void {
    const [end = '', ...before] = gunzipSync(readFileSync(file)).toString().trimEnd().split('\n').reverse()
    const lines = before.reverse()
    const counts = JSON.parse(end).end.tables as Record<string, number>
    for (const [table, row] of tables) {
      lines.push(JSON.stringify({ table, columns: Object.keys(row) }), JSON.stringify(Object.values(row)))
      counts[table] = 1
    }
    const text = `${lines.join('\n')}\n`
    writeFileSync(file, gzipSync(`${text}${JSON.stringify({ end: { tables: counts, files: 0, sha256: sha256(text) } })}\n`))
  }
  const runImport = () => importData(deps(), { path: file, verify: async () => {}, ...silent })
  const apiKey = (owner: Pick<typeof own, 'workspace' | 'application'>): CraftedTable => [
    'api_key',
    {
      ...{ id: newUuid(), workspace_id: owner.workspace, application_id: owner.application, name: 'mine' },
      ...{ hash: `\\x${sha256('known')}`, hint: 'known', created_at: '2026-03-02' },
    },
  ]

  test('import: brings a memory that an older one in another batch has replaced [ADM-KEY-4]', async () => {
    expect(await runImport()).toMatchObject({ files: 0 })
    const replaced = fresh.database.db.selectFrom('memory_item').select('superseded_by').where('superseded_by', 'is not', null)
    expect(await replaced.execute()).toEqual([{ superseded_by: '00000000-0000-0000-0000-000000000001' }])
  })

  const place = `00/${newUuid()}`
  const attachment = (workspace_id: string): CraftedTable => [
    'message_attachment',
    {
      ...{ id: newUuid(), workspace_id, uploaded_by: 'ann', filename: 'a.txt', media_type: 'text/plain', bytes: '1' },
      ...{ sha256: `\\x${sha256('a')}`, place, created_at: '2026-03-02' },
    },
  ]
  const crafted: readonly (readonly [string, () => CraftedTable, RegExp])[] = [
    [
      'has a table of the server',
      () => [
        'admin_token',
        { id: newUuid(), name: 'mine', hash: `\\x${sha256('known')}`, created_at: '2026-03-02', scopes: '{*}' },
      ],
      /the table admin_token of a whole server/,
    ],
    ['has an API key of another Workspace', () => apiKey(other), /rows of the table api_key that do not belong/],
    [
      'has an API key for an Application of another Workspace',
      () => apiKey({ ...own, application: other.application }),
      /api_key that refer to a row of application of another/,
    ],
    [
      'uses a search partition of another Workspace',
      () => [
        'memory_partition',
        {
          ...{ workspace_id: own.workspace, owner_id: owner, classification: 'internal' },
          ...{ partition_id: '1', language: 'simple' },
        },
      ],
      /memory_partition that refer to a row of retrieval_partition of another/,
    ],
    [
      'has a number below that of every sequence',
      () => ['retrieval_partition', { id: '-1001', workspace_id: own.workspace, kind: 'memory', key: 'k', language: 'simple' }],
      /is not a number of a sequence/,
    ],
    ['has a second Workspace', () => ['workspace', { id: newUuid(), name: 'second' }], /is of one Workspace, and has 2/],
  ]
  test.each(crafted)('import: changes nothing when an export of one Workspace %s [ADM-KEY-4]', async (_, table, message) => {
    add(table())
    await expect(runImport()).rejects.toThrow(message)
    const workspaces = await fresh.database.db.selectFrom('workspace').select('id').execute()
    expect(workspaces).toEqual([{ id: other.workspace }])
  })

  test('import: changes nothing when an attachment uses the file of another Workspace [ADM-KEY-4]', async () => {
    const { id, workspace_id, ...content } = attachment(other.workspace)[1]
    await sql`insert into message_attachment (id, workspace_id, uploaded_by, filename, media_type, bytes, sha256, place, created_at)
      values (${id}, ${workspace_id}, ${content.uploaded_by}, 'a.txt', 'text/plain', 1, sha256('a'), ${place}, now())`.execute(
      fresh.database.db,
    )
    add(attachment(own.workspace))
    await expect(runImport()).rejects.toThrow('whose file belongs to another Workspace')
  })
})
