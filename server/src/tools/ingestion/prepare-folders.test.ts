import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { freshDatabases } from '../../../test/support/fresh-database.ts'
import { StartFixture } from '../../../test/support/start-fixture.ts'
import { createTextScanner } from '../../domains/classification/scan.ts'
import { findWorkspaceByName } from '../../domains/identity/workspace-store.ts'
import { deleteDocument } from '../../domains/knowledge/document-store.ts'
import { ingestDocument } from '../../domains/knowledge/ingest.ts'
import type { Tx } from '../../platform/db/database.ts'
import { toId } from '../../platform/lib/id.ts'

describe.each(freshDatabases())('start with declared folders on $name', async ({ open }) => {
  const starts = await StartFixture.forEachTest(open)
  beforeEach(() => {
    const folder = join(starts.dataDir, 'documents')
    mkdirSync(folder)
    for (const key of ['a.md', 'b.md']) writeFileSync(join(folder, key), `# ${key}\n\nText.`)
    writeFileSync(join(folder, 'empty.md'), '')
    const collections = '[{ name: handbook, acl: everyone, folder: documents }, { name: plain }]'
    writeFileSync(join(starts.dataDir, 'gatehouse.yaml'), `workspaces: [{ name: acme, collections: ${collections} }]\n`)
  })
  const documents = () =>
    starts.database.db
      .selectFrom('knowledge_document')
      .select(['key', 'version'])
      .where('version', '>', 0)
      .orderBy('key')
      .execute()
  const read = (counts: object): string => JSON.stringify({ collection: 'handbook', ...counts }).slice(1, -1)

  test('ingests folders after listening, reports failed files, and changes nothing on the next start', async () => {
    const announce = await starts.prepare()
    expect(await documents()).toEqual([])
    await announce('http://127.0.0.1:8787')
    await starts.background.idle()
    const stored = [
      { key: 'a.md', version: 1 },
      { key: 'b.md', version: 1 },
    ]
    expect(await documents()).toEqual(stored)
    expect(starts.logs).toContain(read({ file: 'empty.md', code: 'empty' }))
    expect(starts.logs).toContain(
      read({ added: 2, changed: 0, relabelled: 0, unchanged: 0, deleted: 0, left: 0, failed: 1, chunks: 2 }),
    )

    await starts.start()
    await starts.background.idle()
    expect(await documents()).toEqual(stored)
    expect(starts.logs).toContain(
      read({ added: 0, changed: 0, relabelled: 0, unchanged: 2, deleted: 0, left: 0, failed: 1, chunks: 0 }),
    )
  })

  test('keeps a document that was deleted or replaced over the API until its file changes', async () => {
    await starts.start()
    await starts.background.idle()
    const { db } = starts.database
    const document = db.selectFrom('knowledge_document').selectAll().where('key', '=', 'a.md')
    const { id, collection_id } = await document.executeTakeFirstOrThrow()
    const workspace = await findWorkspaceByName(db, 'acme')
    const workspaceId = workspace?.id ?? ''
    const collectionId = toId('col', collection_id)
    await db.transaction().execute((tx) => deleteDocument(tx, workspaceId, toId('doc', id)))
    const scanText = createTextScanner({ detectors: [], budgetMs: 1_000 })
    const transact = <T>(write: (tx: Tx, now: Date) => Promise<T>) => db.transaction().execute((tx) => write(tx, new Date()))
    const bytes = Buffer.from('# b.md\n\nCorrected over the API.')
    await ingestDocument({ db, clock: { now: () => new Date() }, scanText, transact }, workspaceId, collectionId, {
      key: 'b.md',
      name: 'b.md',
      bytes,
    })

    await starts.start()
    await starts.background.idle()
    expect(await documents()).toEqual([{ key: 'b.md', version: 2 }])
    expect(starts.logs).toContain('2 documents differ from their files, which have not changed, and stay as they are')

    writeFileSync(join(starts.dataDir, 'documents', 'a.md'), '# a.md\n\nOther text.')
    await starts.start()
    await starts.background.idle()
    expect(await documents()).toEqual([
      { key: 'a.md', version: 1 },
      { key: 'b.md', version: 2 },
    ])
  })

  test('stops the ingestion when the server stops', async () => {
    const announce = await starts.prepare()
    await announce('http://127.0.0.1:8787')
    await starts.background.close()
    expect(starts.logs).not.toContain('"level":"error"')
    expect((await documents()).length).toBeLessThanOrEqual(2)
  })

  test('fails when a folder does not exist', async () => {
    const file = join(starts.dataDir, 'gatehouse.yaml')
    writeFileSync(file, 'workspaces:\n  - name: acme\n    collections: [{ name: handbook, folder: nowhere }]\n')
    await expect(starts.prepare()).rejects.toThrow(
      /gatehouse\.yaml:3: workspaces\[0\]\.collections\[0\]\.folder names a folder that does not exist/,
    )
  })
})
