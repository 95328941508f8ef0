import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { freshDatabases } from '../../../test/support/fresh-database.ts'
import { seedWorkspace } from '../../../test/support/seed.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { removeDueFiles } from '../../domains/messaging/attachments/file-removal.ts'
import { openFileStore } from '../../domains/messaging/attachments/file-store.ts'
import { uuidOf } from '../../platform/db/values.ts'
import { newUuid } from '../../platform/lib/id.ts'
import type { Part } from './export-format.ts'
import { StagedFiles } from './import-files.ts'

const START = new Date('2026-03-02T09:00:00Z')
const HOUR = 3_600_000
const DAY = 24 * HOUR
const later = (ms: number): Date => new Date(START.getTime() + ms)

describe.each(freshDatabases())('attachments of an import into $name', async ({ open }) => {
  const folder = temporaryFolder()
  let workspace: string
  const fresh = await open()
  afterAll(() => fresh.remove())
  beforeEach(async () => {
    await fresh.empty()
    workspace = uuidOf('ws', (await seedWorkspace(fresh.database.db)).workspaceId)
  })
  const files = openFileStore({ kind: 'folder', path: folder })
  const stage = (now = START): StagedFiles => new StagedFiles({ db: fresh.database.db, files, clock: { now: () => now } })
  const newPlace = (): string => {
    const uuid = newUuid()
    return `${uuid.slice(-2)}/${uuid}`
  }
  async function* exported(...places: string[]): AsyncGenerator<Part, void> {
    for (const place of places) {
      yield { kind: 'file', place }
      yield { kind: 'chunk', bytes: Buffer.from(place) }
    }
  }
  /** Inserts the rows of the attachments and keeps their files. */
  const commit = (staged: StagedFiles, ...places: string[]): Promise<void> =>
    fresh.database.db.transaction().execute(async (tx) => {
      const content = { filename: 'a.txt', media_type: 'text/plain', bytes: 1, sha256: Buffer.alloc(32), created_at: START }
      for (const place of places)
        await tx
          .insertInto('message_attachment')
          .values({ id: newUuid(), workspace_id: workspace, message_id: null, uploaded_by: 'ann', place, ...content })
          .execute()
      await staged.keep(tx)
    })
  const removeAllDue = (now: Date): Promise<number> => removeDueFiles(fresh.database.db, files, now, 100)
  const isStored = (place: string): boolean => existsSync(join(folder, place))

  test('import: keeps its attachments when an interrupted import has stored them before', async () => {
    const [first, second] = [newPlace(), newPlace()]
    await stage().store(exported(first))
    const repeated = stage(later(HOUR))
    expect(await repeated.store(exported(first, second))).toBe(2)
    await commit(repeated, first, second)
    expect(await removeAllDue(later(2 * DAY))).toBe(0)
    expect([first, second].map(isStored)).toEqual([true, true])
  })

  test('import: stores an attachment whose storing was interrupted', async () => {
    const place = newPlace()
    await fresh.database.db
      .insertInto('removed_file')
      .values({ place, removed_at: later(DAY) })
      .execute()
    const repeated = stage(later(HOUR))
    await repeated.store(exported(place))
    await commit(repeated, place)
    expect(await removeAllDue(later(2 * DAY))).toBe(0)
    expect(isStored(place)).toBe(true)
  })

  test('import: fails when the attachments were deleted because it took longer than a day', async () => {
    const place = newPlace()
    const slow = stage()
    await slow.store(exported(place))
    expect(await removeAllDue(later(DAY))).toBe(1)
    await expect(commit(slow, place)).rejects.toThrow('import again')
  })

  test('import: leaves a file without a row to the job that deletes files', async () => {
    const [kept, unused] = [newPlace(), newPlace()]
    const staged = stage()
    await staged.store(exported(kept, unused))
    await commit(staged, kept)
    expect(await removeAllDue(later(2 * DAY))).toBe(1)
    expect([kept, unused].map(isStored)).toEqual([true, false])
  })

  test('import: deletes its files when it fails, and those of an interrupted one', async () => {
    const [first, second] = [newPlace(), newPlace()]
    await stage().store(exported(first))
    const failed = stage(later(HOUR))
    await failed.store(exported(first, second))
    await failed.discard()
    expect([first, second].map(isStored)).toEqual([false, false])
    expect(await removeAllDue(later(2 * DAY))).toBe(0)
  })
})
