import { randomBytes } from 'node:crypto'
import { afterAll, describe, expect, test } from 'vitest'
import { freshDatabases } from '../../../test/support/fresh-database.ts'
import { seedWorkspace, TEST_SECRET_KEY } from '../../../test/support/seed.ts'
import { secretBox, secretKeyId } from '../../platform/lib/secret-box.ts'
import { loadWorkspaceKeys } from '../audit/workspace-keys.ts'
import { ResealJob } from './reseal-job.ts'
import { describeKeys, readCounts } from './sealed-counts.ts'

const secrets = { secretKey: randomBytes(32), oldSecretKeys: [TEST_SECRET_KEY] }

describe.each(freshDatabases())('reseal job on $name', async ({ open }) => {
  const fresh = await open()
  afterAll(() => fresh.remove())

  const logged: [object, string][] = []
  let now = new Date('2026-03-01T09:00:00Z')
  const note = (fields: object, text: string): void => void logged.push([fields, text])
  const startJob = () =>
    new ResealJob({ db: fresh.database.db, clock: { now: () => now }, secrets, log: { info: note, warn: note } })

  test('seals values of the old key again, and leaves those that no key opens [ADM-KEY-2]', async () => {
    const { db } = fresh.database
    const ids = [await seedWorkspace(db), await seedWorkspace(db), await seedWorkspace(db)].map(({ workspaceId }) => workspaceId)
    const lostKey = randomBytes(32)
    const lost = secretBox(lostKey, 'workspace').seal('hush', 'none')
    await db.updateTable('workspace').set({ hash_key: lost }).where('name', '=', `test ${ids[2]}`).execute()

    const job = startJob()
    await job.run()
    const box = secretBox(secrets.secretKey, 'workspace')
    for (const id of ids.slice(0, 2)) expect(await loadWorkspaceKeys(db, box, id)).toBeDefined()
    const { counts, countedAt } = await readCounts(db)
    expect(countedAt).toEqual(now)
    expect(describeKeys(secrets, counts)).toEqual([
      { id: secretKeyId(secrets.secretKey), state: 'current', values: 5 },
      { id: secretKeyId(TEST_SECRET_KEY), state: 'old', values: 0 },
      { id: secretKeyId(lostKey), state: 'missing', values: 1 },
    ])
    expect(logged.map(([, text]) => text)).toEqual([
      expect.stringContaining('remove the old keys'),
      expect.stringContaining('no configured secret key opens some values'),
    ])
    expect(logged[0]?.[0]).toMatchObject({ resealed: 5, unreadable: 1 })
  })

  test('a second pass begins after a pause, and changes nothing', async () => {
    const { db } = fresh.database
    const job = startJob()
    const read = () => db.selectFrom('workspace').select(['hash_key', 'signing_key']).orderBy('id').execute()
    const before = await read()
    logged.length = 0
    await job.run()
    await job.run()
    expect(logged).toHaveLength(2)
    now = new Date(now.getTime() + 11 * 60_000)
    await job.run()
    expect(logged).toHaveLength(4)
    expect(await read()).toEqual(before)
  })
})
