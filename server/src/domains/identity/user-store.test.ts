import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../../../test/support/close-after-all.ts'
import { testDatabases } from '../../../test/support/database.ts'
import { asGoverned } from '../../../test/support/governed-text.ts'
import { seedWorkspace } from '../../../test/support/seed.ts'
import { checkUserCreate, checkUserPatch, userView } from './user.ts'
import { type ChangedUser, createUser, findUser, listUsers, updateUser, upsertUser } from './user-store.ts'

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
    expect(await createUser(db, workspaceId, { ...ann, username: asGoverned('other') }, NOW)).toEqual({
      ok: false,
      reason: 'id_taken',
    })
    expect(await createUser(db, workspaceId, { username: asGoverned('ann') }, NOW)).toEqual({
      ok: false,
      reason: 'username_taken',
    })
    expect(await createUser(db, workspaceId, { id: 'new', username: asGoverned('ann') }, NOW)).toEqual({
      ok: false,
      reason: 'username_taken',
    })
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

  test('user store: not found when the user is of another Workspace or does not exist', async () => {
    await upsert({ ...ann, id: 'hidden', username: asGoverned('hidden') })
    for (const id of ['hidden', 'unknown', '', 'a\0b', '\ud800']) {
      expect(await findUser(database.db, foreign, id)).toBeUndefined()
      expect(await update(foreign, id, { role: 'stolen' })).toEqual({ ok: false, reason: 'not_found' })
    }
    expect((await listUsers(database.db, foreign, { limit: 100 }))?.data.map(({ id }) => id)).toEqual([ann.id])
    expect((await findUser(database.db, workspaceId, 'hidden'))?.role).toBe('analyst')
  })

  test('user store: pages list each user once, ordered by id', async () => {
    const { workspaceId: owner } = await seedWorkspace(database.db)
    for (const id of ['c', 'a', 'b']) await createUser(database.db, owner, { id, username: asGoverned(id) }, NOW)
    const first = await listUsers(database.db, owner, { limit: 2 })
    expect([first?.data.map(({ id }) => id), first?.hasMore]).toEqual([['a', 'b'], true])
    const second = await listUsers(database.db, owner, { limit: 2, after: 'b' })
    expect([second?.data.map(({ id }) => id), second?.hasMore]).toEqual([['c'], false])
    expect(await listUsers(database.db, owner, { limit: 2, after: 'a\0' })).toBeUndefined()
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

test('user view: has all fields of the admin API', () => {
  const user = { ...ann, workspaceId: 'ws_1', createdAt: NOW, updatedAt: NOW }
  expect(userView(user)).toEqual({
    ...ann,
    object: 'user',
    workspace_id: 'ws_1',
    created_at: '2026-03-02T09:00:00.000Z',
    updated_at: '2026-03-02T09:00:00.000Z',
  })
})
