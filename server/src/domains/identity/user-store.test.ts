import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../../../test/support/close-after-all.ts'
import { testDatabases } from '../../../test/support/database.ts'
import { asGoverned } from '../../../test/support/governed-text.ts'
import { seedWorkspace } from '../../../test/support/seed.ts'
import { checkUserCreate, checkUserPatch } from './user.ts'
import { type ChangedUser, createUser, findUser, updateUser, upsertUser } from './user-store.ts'

const NOW = new Date('2026-03-02T09:00:00Z')
const LATER = new Date('2026-03-02T10:00:00Z')
const ann = {
  id: 'ann@acme.test',
  username: asGoverned('ann'),
  role: 'analyst',
  department: 'finance',
  attributes: { projects: ['p1'] },
}

describe.each(testDatabases())('on $name', async ({ open }) => {
  const database = await closeAfterAll(open())
  const workspaceId = (await seedWorkspace(database.db)).workspaceId
  const foreign = (await seedWorkspace(database.db)).workspaceId
  await createUser(database.db, workspaceId, ann, NOW)

  const update = (owner: string, id: string, patch: ChangedUser) =>
    database.db.transaction().execute((tx) => updateUser(tx, owner, id, patch, LATER))
  const upsert = (user: typeof ann) => database.db.transaction().execute((tx) => upsertUser(tx, workspaceId, user, LATER))

  test('user store: user gets an id when none is given', async () => {
    expect(await findUser(database.db, workspaceId, ann.id)).toEqual({ ...ann, workspaceId, createdAt: NOW, updatedAt: NOW })
    expect(await createUser(database.db, workspaceId, { username: asGoverned('bob') }, NOW)).toMatchObject({
      ok: true,
      user: { id: expect.stringMatching(/^usr_[0-9a-z]{26}$/), role: '', department: '', attributes: {} },
    })
  })

  test('user store: id_taken or username_taken when a user of the same Workspace has it', async () => {
    const { db } = database
    const taken: [Parameters<typeof createUser>[2], string][] = [
      [{ ...ann, username: asGoverned('other') }, 'id_taken'],
      [{ username: asGoverned('ann') }, 'username_taken'],
      [{ id: 'new', username: asGoverned('ann') }, 'username_taken'],
    ]
    for (const [user, reason] of taken) expect(await createUser(db, workspaceId, user, NOW)).toEqual({ ok: false, reason })
    expect(await createUser(db, foreign, ann, NOW)).toMatchObject({ ok: true })
  })

  test('user store: upsert updates the user when the id exists', async () => {
    const carol = { ...ann, id: 'carol', username: asGoverned('carol') }
    expect(await upsert(carol)).toMatchObject({ ok: true })
    expect(await upsert({ ...carol, role: 'lead' })).toMatchObject({ ok: true, user: { role: 'lead', username: 'carol' } })
    expect(await upsert({ ...carol, username: asGoverned('ann') })).toEqual({ ok: false, reason: 'username_taken' })
  })

  test('user store: fields are changed one by one, null clears a field', async () => {
    await upsert({ ...ann, id: 'dora', username: asGoverned('dora') })
    expect(await update(workspaceId, 'dora', { role: 'lead', attributes: null })).toMatchObject({
      ok: true,
      user: { role: 'lead', department: 'finance', attributes: {}, createdAt: LATER },
    })
    expect(await update(workspaceId, 'dora', { username: asGoverned('ann') })).toEqual({ ok: false, reason: 'username_taken' })
  })
})

describe('user create: problem names the field when the body is', () => {
  test.each<[unknown, string]>([
    [{}, 'username'],
    [{ username: 'a', id: '' }, 'id'],
    [{ username: 'a', id: 'x'.repeat(201) }, 'id'],
    [{ username: 'a', id: 'x\u0000' }, 'id'],
    [{ username: 'a', role: 7 }, 'role'],
    [{ username: 'a', role: 'a\u0000' }, 'role'],
    [{ username: 'a', attributes: [] }, 'attributes'],
    [{ username: 'a', attributes: { a: ['\u0000'] } }, 'attributes'],
    [{ username: 'a', attributes: { '\udfff': 1 } }, 'attributes'],
  ])('%j', (body, param) => {
    const checked = checkUserCreate(body)
    expect(checked.ok ? 'valid' : checked.problem.param).toBe(param)
  })

  test('user patch: valid when it is empty', () => expect(checkUserPatch({})).toEqual({ ok: true, value: {} }))
})
