import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { sql } from 'kysely'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { afterRows } from '../../../test/support/after-rows.ts'
import { freshDatabases } from '../../../test/support/fresh-database.ts'
import { seedApplication, seedWorkspace, TEST_SECRET_KEY } from '../../../test/support/seed.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { openFileStore } from '../../domains/messaging/attachments/file-store.ts'
import { uuidOf } from '../../platform/db/values.ts'
import { newUuid } from '../../platform/lib/id.ts'
import { exportData } from './export.ts'
import { importData } from './import.ts'

const clock = { now: () => new Date('2026-03-02T09:00:00Z') }
const secrets = { secretKey: TEST_SECRET_KEY }
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Owner of the memories. */
const owner = newUuid()
/** The number of a search partition in the source. */
const PARTITION = 1_000_000_000

describe.each(freshDatabases())('import into $name', async ({ name, open }) => {
  const folder = temporaryFolder()
  const files = openFileStore({ kind: 'folder', path: join(folder, 'files') })
  const file = join(folder, 'export.gz')
  let workspace: string
  const deps = () => ({ db: fresh.database.db, files, secrets, clock })

  const fresh = await open()
  afterAll(() => fresh.remove())
  beforeEach(async () => {
    await fresh.empty()
    const { db } = fresh.database
    await seedMemories()
    await sql`insert into retrieval_partition (id, workspace_id, kind, key, language) overriding system value
      values (${PARTITION}, ${workspace}, 'memory', 'k', 'simple')`.execute(db)
    await exportData(deps(), { path: file, onProgress: () => {} })
    await fresh.empty()
  })

  test.runIf(name === 'postgresql')(
    'exportData: all tables are of one time when rows are deleted during the export',
    async () => {
      const { db } = fresh.database
      await seedMemories()
      const exportWith = (database: typeof db) => exportData({ ...deps(), db: database }, { path: file, onProgress: () => {} })
      const before = await exportWith(db)
      const deleting = db.withPlugin(
        afterRows(
          (row) => 'name' in row,
          () => sql`delete from memory_item`.execute(db),
        ),
      )
      expect(await exportWith(deleting)).toEqual(before)
      expect((await sql`select from memory_item`.execute(db)).rows).toEqual([])
    },
  )

  /** A Workspace with more memories than a batch has, of which the first has replaced the last. */
  async function seedMemories(): Promise<void> {
    const { db } = fresh.database
    const { workspaceId } = await seedWorkspace(db)
    const { applicationId } = await seedApplication(db, workspaceId)
    workspace = uuidOf('ws', workspaceId)
    const application = uuidOf('app', applicationId)
    await sql`insert into memory_owner (id, workspace_id, key, scope, scope_id)
      values (${owner}, ${workspace}, 'k', 'user', 'ann')`.execute(db)
    await sql`insert into memory_item (id, workspace_id, owner_id, application_id, kind, content, classification, regulations,
        content_hash, signature, mode, source, audit_id, created_at)
      select lpad(i::text, 32, '0')::uuid, ${workspace}, ${owner}, ${application}, 'fact', 'text', 'internal', '[]',
        'h' || i, 's' || i, 'active', 'api', gen_random_uuid(), now() from generate_series(1, 501) as i`.execute(db)
    await sql`update memory_item set superseded_at = now(), superseded_by = lpad('1', 32, '0')::uuid
      where id = lpad('501', 32, '0')::uuid`.execute(db)
  }

  /** Adds lines, with a table of one row, before the end of the export. */
  function add(table: string, row: Readonly<Record<string, string>>, ...more: readonly string[]): void {
    const [end = '', ...before] = gunzipSync(readFileSync(file)).toString().trimEnd().split('\n').reverse()
    const counts = { ...JSON.parse(end).end.tables, [table]: 1 }
    const lines = [...before.reverse(), { table, columns: Object.keys(row) }, Object.values(row)]
    const text = [...lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))), ...more, ''].join('\n')
    const added = { end: { tables: counts, files: more.length === 0 ? 0 : 1, sha256: sha256(text) } }
    writeFileSync(file, gzipSync(`${text}${JSON.stringify(added)}\n`))
  }
  const runImport = () => importData(deps(), { path: file, verify: async () => {}, onProgress: () => {}, onSkipped: () => {} })

  test('import: brings a memory that an older one in another batch has replaced [ADM-KEY-3]', async () => {
    expect(await runImport()).toMatchObject({ files: 0 })
    const replaced = fresh.database.db.selectFrom('memory_item').select('superseded_by').where('superseded_by', 'is not', null)
    expect(await replaced.execute()).toEqual([{ superseded_by: '00000000-0000-0000-0000-000000000001' }])
  })

  test('import: new rows get numbers behind the imported ones', async () => {
    const { db } = fresh.database
    await sql`select setval(pg_get_serial_sequence('retrieval_partition', 'id'), 1)`.execute(db)
    await runImport()
    const { rows } = await sql<{ id: string }>`insert into retrieval_partition (workspace_id, kind, key, language)
      values (${workspace}, 'memory', 'new', 'simple') returning id`.execute(db)
    expect(Number(rows[0]?.id)).toBe(PARTITION + 1)
  })

  const place = `00/${newUuid()}`
  const refused: readonly (readonly [string, Parameters<typeof add>, RegExp])[] = [
    ['a table that exports leave out', ['quota', { key: 'k' }], /table quota, which cannot be imported/],
    ['an unknown column', ['workspace', { id: newUuid(), later: '1' }], /column workspace\.later/],
    ['an attachment outside the file store', ['message_attachment', { id: newUuid(), place: '../key' }], /an invalid place/],
    [
      'attachments and a row that the database refuses',
      ['api_key', { id: newUuid() }, JSON.stringify({ file: place }), '"YQ=="'],
      /null value in column/,
    ],
    [
      'an attachment with a line that is not JSON',
      ['api_key', { id: newUuid() }, JSON.stringify({ file: place }), '"YQ=="', 'damaged'],
      /not an export of Gatehouse, or it was damaged/,
    ],
  ]
  test.each(refused)('import: changes nothing when the export has %s [ADM-KEY-3]', async (_, added, message) => {
    add(...added)
    await expect(runImport()).rejects.toThrow(message)
    expect(await fresh.database.db.selectFrom('workspace').select('id').execute()).toEqual([])
    const stored = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    expect(stored.map(({ name }) => name)).toEqual(['export.gz'])
  })
})
