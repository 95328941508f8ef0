import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../../../../test/support/close-after-all.ts'
import { testDatabases } from '../../../../test/support/database.ts'
import { asGoverned } from '../../../../test/support/governed-text.ts'
import { SEEDED_AT, seedMember } from '../../../../test/support/messaging-seed.ts'
import { seedApplication, seedWorkspace } from '../../../../test/support/seed.ts'
import type { Tx } from '../../../platform/db/database.ts'
import { fromId } from '../../../platform/lib/id.ts'
import { findContact, findContacts, listContacts, recordActivity, updateProfile } from './contact-store.ts'
import type { Member } from './member.ts'

const later = (ms: number): Date => new Date(SEEDED_AT.getTime() + ms)
const FIRST_PAGE = { limit: 100 }

describe.each(testDatabases())('contacts on $name', async ({ name, open }) => {
  const createMember = (workspace: string, id: string) => seedMember(database.db, workspace, id)
  const run = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => database.db.transaction().execute(work)

  const database = await closeAfterAll(open())
  const { workspaceId } = await seedWorkspace(database.db)
  const [ann, ben] = await Promise.all([createMember(workspaceId, 'ann'), createMember(workspaceId, 'ben')])
  await createMember(workspaceId, 'cleo')
  const otherAnn = await createMember((await seedWorkspace(database.db)).workspaceId, 'ann')

  test('contacts: can only be found in their own Workspace', async () => {
    const { db } = database
    expect(await findContact(db, ann.workspaceId, 'ben')).toEqual({
      id: 'ben',
      username: 'ben.name',
      displayName: null,
      phoneNumber: '',
      avatarUrl: null,
      applicationId: null,
      lastActiveAt: null,
      createdAt: SEEDED_AT,
    })
    for (const id of ['ben', 'unknown', '\0']) expect(await findContact(db, otherAnn.workspaceId, id)).toBeUndefined()
    expect([...(await findContacts(db, ann.workspaceId, ['ben', 'ann', 'ben', 'unknown', '\0'])).keys()].toSorted()).toEqual([
      'ann',
      'ben',
    ])
    expect((await findContacts(db, otherAnn.workspaceId, ['ben'])).size).toBe(0)
    expect(await findContacts(db, ann.workspaceId, [])).toEqual(new Map())
    expect((await listContacts(db, ann, FIRST_PAGE))?.data.map(({ id }) => id)).toEqual(['ben', 'cleo'])
    expect((await listContacts(db, otherAnn, FIRST_PAGE))?.data).toEqual([])
  })

  test('profile: fields that a change does not name stay unchanged', async () => {
    await run((tx) => updateProfile(tx, ann, { displayName: asGoverned('Ann'), phoneNumber: asGoverned('1') }))
    await run((tx) => updateProfile(tx, ann, { displayName: null, avatarUrl: asGoverned('https://pictures.example/a') }))
    expect(await findContact(database.db, ann.workspaceId, 'ann')).toMatchObject({
      displayName: null,
      phoneNumber: '1',
      avatarUrl: 'https://pictures.example/a',
    })
  })

  test('contacts: last_active_at changes at most once a minute', async () => {
    const activeAt = async () => (await findContact(database.db, ben.workspaceId, 'ben'))?.lastActiveAt
    const record = (at: Date) => run((tx) => recordActivity(ben, at).execute(tx))
    await record(later(0))
    expect(await activeAt()).toEqual(later(0))
    await record(later(59_000))
    expect(await activeAt()).toEqual(later(0))
    await record(later(61_000))
    expect(await activeAt()).toEqual(later(61_000))
    await record(later(1_000))
    expect(await activeAt()).toEqual(later(61_000))
  })

  // The embedded database runs one transaction at a time.
  test.runIf(name === 'postgresql')(
    'contacts: recording activity does not lock the row if the user was active in the last minute',
    async () => {
      await run((tx) => recordActivity(ben, later(120_000)).execute(tx))
      await run(async (tx) => {
        await recordActivity(ben, later(121_000)).execute(tx)
        await run((other) => updateProfile(other, ben, { phoneNumber: asGoverned('2') }))
      })
      expect(await findContact(database.db, ben.workspaceId, 'ben')).toMatchObject({ phoneNumber: asGoverned('2') })
    },
  )

  test('contacts: recording activity adds no contact if the user has been erased', async () => {
    const erased: Member = { ...ann, user: { ...ann.user, id: 'erased' } }
    await run((tx) => recordActivity(erased, SEEDED_AT).execute(tx))
    expect(await findContact(database.db, ann.workspaceId, 'erased')).toBeUndefined()
  })

  test('contacts: an assistant has the id of its Application', async () => {
    const { applicationId } = await seedApplication(database.db, otherAnn.workspaceId)
    const helper = await createMember(otherAnn.workspaceId, 'helper')
    await run((tx) => updateProfile(tx, helper, { displayName: asGoverned('Helper') }))
    await database.db
      .updateTable('contact_profile')
      .set({ application_id: fromId('app', applicationId) ?? '' })
      .where('workspace_id', '=', fromId('ws', helper.workspaceId) ?? '')
      .where('user_id', '=', 'helper')
      .execute()
    expect(await findContact(database.db, otherAnn.workspaceId, 'helper')).toMatchObject({ applicationId })
  })
})
