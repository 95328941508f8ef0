import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testDatabases } from '../../../test/support/database.ts'
import { asGoverned } from '../../../test/support/governed-text.ts'
import { seedApplication, seedWorkspace } from '../../../test/support/seed.ts'
import type { Database, Tx } from '../../db/database.ts'
import { ANONYMOUS_USER } from '../../domain/principal.ts'
import { createUser } from '../../identity/user-store.ts'
import { fromId, newId, newUuid } from '../../lib/id.ts'
import type { Member } from '../api/member.ts'
import { addToGroup, removeFromGroup } from '../groups/group-membership.ts'
import {
  createGroup,
  findGroup,
  findGroupIds,
  isGroupMember,
  listGroups,
  lockGroup,
  lockGroupMembers,
} from '../groups/group-store.ts'
import { removeFromAllGroups } from '../groups/leave-groups.ts'
import { findAcquaintances } from './acquaintances.ts'
import { activity, findContact, findContacts, listContacts, updateProfile } from './contact-store.ts'

const NOW = new Date('2026-03-02T09:00:00Z')
const later = (ms: number): Date => new Date(NOW.getTime() + ms)
const NOWHERE = { limit: 100 }

describe.each(testDatabases())('people on $name', ({ name, open }) => {
  let database: Database
  let ann: Member
  let ben: Member
  let cleo: Member
  let stranger: Member

  const user = async (workspaceId: string, id: string): Promise<Member> => {
    await createUser(database.db, workspaceId, { id, username: asGoverned(`${id}.name`) }, NOW)
    return { workspaceId, user: { ...ANONYMOUS_USER, id, verified: true } }
  }
  const run = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => database.db.transaction().execute(work)
  const group = (owner: Member, ...members: Member[]) => {
    const fields = { name: asGoverned('Team'), description: '' as const, avatarUrl: null, ownerId: owner.user.id }
    const ids = [owner, ...members].map((each) => each.user.id)
    return run((tx) => createGroup(tx, owner.workspaceId, fields, ids, NOW))
  }
  const conversationOf = async (
    workspaceId: string,
    groupId: string | null,
    members: Member[],
    sequence = 0,
  ): Promise<string> => {
    const id = newUuid()
    const workspace = fromId('ws', workspaceId) ?? ''
    await database.db
      .insertInto('conversation')
      .values({
        id,
        workspace_id: workspace,
        group_id: groupId && (fromId('grp', groupId) ?? ''),
        last_sequence: sequence,
        created_by: members[0]?.user.id ?? '',
        created_at: NOW,
      })
      .execute()
    for (const member of members) {
      const own = { sort_at: NOW, is_pinned: false, is_muted: false, read_sequence: 0 }
      const ids = { workspace_id: workspace, conversation_id: id, user_id: member.user.id }
      await database.db
        .insertInto('conversation_member')
        .values({ ...ids, ...own })
        .execute()
    }
    return id
  }
  const rowsIn = (conversation: string) =>
    database.db
      .selectFrom('conversation_member')
      .select(['user_id', 'read_sequence'])
      .where('conversation_id', '=', conversation)
      .orderBy('user_id')
      .execute()

  beforeAll(async () => {
    database = await open()
    const { workspaceId } = await seedWorkspace(database.db)
    ;[ann, ben, cleo] = await Promise.all([user(workspaceId, 'ann'), user(workspaceId, 'ben'), user(workspaceId, 'cleo')])
    stranger = await user((await seedWorkspace(database.db)).workspaceId, 'ann')
  })
  afterAll(() => database.close())

  describe('contacts', () => {
    test('are found in their own Workspace alone', async () => {
      const { db } = database
      expect(await findContact(db, ann.workspaceId, 'ben')).toEqual({
        id: 'ben',
        username: 'ben.name',
        displayName: null,
        phoneNumber: '',
        avatarUrl: null,
        applicationId: null,
        lastActiveAt: null,
        createdAt: NOW,
      })
      for (const id of ['ben', 'nobody', '\0']) expect(await findContact(db, stranger.workspaceId, id)).toBeUndefined()
      expect([...(await findContacts(db, ann.workspaceId, ['ben', 'ann', 'ben', 'nobody', '\0'])).keys()].toSorted()).toEqual([
        'ann',
        'ben',
      ])
      expect((await findContacts(db, stranger.workspaceId, ['ben'])).size).toBe(0)
      expect(await findContacts(db, ann.workspaceId, [])).toEqual(new Map())
      expect((await listContacts(db, ann, NOWHERE))?.data.map(({ id }) => id)).toEqual(['ben', 'cleo'])
      expect((await listContacts(db, stranger, NOWHERE))?.data).toEqual([])
    })

    test('keep of a profile what a change does not name', async () => {
      await run((tx) => updateProfile(tx, ann, { displayName: asGoverned('Ann'), phoneNumber: asGoverned('1') }))
      await run((tx) => updateProfile(tx, ann, { displayName: null, avatarUrl: asGoverned('https://pictures.example/a') }))
      expect(await findContact(database.db, ann.workspaceId, 'ann')).toMatchObject({
        displayName: null,
        phoneNumber: '1',
        avatarUrl: 'https://pictures.example/a',
      })
    })

    test('were last active to the minute', async () => {
      const activeAt = async () => (await findContact(database.db, ben.workspaceId, 'ben'))?.lastActiveAt
      const touch = (at: Date) => run((tx) => activity(ben, at).execute(tx))
      await touch(later(0))
      expect(await activeAt()).toEqual(later(0))
      await touch(later(59_000))
      expect(await activeAt()).toEqual(later(0))
      await touch(later(61_000))
      expect(await activeAt()).toEqual(later(61_000))
      await touch(later(1_000))
      expect(await activeAt()).toEqual(later(61_000))
    })

    // The embedded database runs one transaction at a time.
    test.runIf(name === 'postgresql')('who was active a moment ago is only read: nobody waits for the row', async () => {
      await run((tx) => activity(ben, later(120_000)).execute(tx))
      await run(async (tx) => {
        await activity(ben, later(121_000)).execute(tx)
        await run((other) => updateProfile(other, ben, { phoneNumber: asGoverned('2') }))
      })
      expect(await findContact(database.db, ben.workspaceId, 'ben')).toMatchObject({ phoneNumber: asGoverned('2') })
    })

    test('who is erased meanwhile is not active', async () => {
      const ghost: Member = { ...ann, user: { ...ann.user, id: 'ghost' } }
      await run((tx) => activity(ghost, NOW).execute(tx))
      expect(await findContact(database.db, ann.workspaceId, 'ghost')).toBeUndefined()
    })

    test('an assistant is one of an Application', async () => {
      const { applicationId } = await seedApplication(database.db, stranger.workspaceId)
      const helper = await user(stranger.workspaceId, 'helper')
      await run((tx) => updateProfile(tx, helper, { displayName: asGoverned('Helper') }))
      await database.db
        .updateTable('contact_profile')
        .set({ application_id: fromId('app', applicationId) ?? '' })
        .where('workspace_id', '=', fromId('ws', helper.workspaceId) ?? '')
        .where('user_id', '=', 'helper')
        .execute()
      expect(await findContact(database.db, stranger.workspaceId, 'helper')).toMatchObject({ applicationId })
    })
  })

  describe('groups', () => {
    test('are their members’ alone', async () => {
      const { db } = database
      const { id } = await group(ann, ben)
      expect(await findGroup(db, ben, id)).toMatchObject({ id, ownerId: 'ann', memberIds: ['ann', 'ben'] })
      for (const other of [cleo, stranger]) {
        expect(await findGroup(db, other, id)).toBeUndefined()
        expect(await run((tx) => lockGroup(tx, other, id))).toBeUndefined()
        expect(await listGroups(db, other, { limit: 1, after: id })).toBeUndefined()
      }
      expect([await isGroupMember(db, ann.workspaceId, id, 'ben'), await isGroupMember(db, ann.workspaceId, id, 'cleo')]).toEqual(
        [true, false],
      )
      expect(await isGroupMember(db, stranger.workspaceId, id, 'ann')).toBe(false)
      expect(await run((tx) => lockGroupMembers(tx, ann.workspaceId, id))).toEqual(['ann', 'ben'])
      expect(await run((tx) => lockGroupMembers(tx, stranger.workspaceId, id))).toEqual([])
      expect(await findGroup(db, ann, newId('grp'))).toBeUndefined()
    })

    test('are paged both ways, newest first', async () => {
      const owner = await user(ann.workspaceId, newId('usr'))
      const ids = [(await group(owner)).id, (await group(owner)).id, (await group(owner)).id].toReversed()
      const page = async (limit: number, cursor?: 'after' | 'before', at = 0) => {
        const found = await listGroups(database.db, owner, { limit, ...(cursor && { [cursor]: ids[at] }) })
        return [found?.data.map(({ id }) => id), found?.hasMore]
      }
      expect(await page(2)).toEqual([ids.slice(0, 2), true])
      expect(await page(2, 'after', 1)).toEqual([[ids[2]], false])
      expect(await page(1, 'before', 2)).toEqual([[ids[1]], true])
      expect(await page(2, 'before', 2)).toEqual([ids.slice(0, 2), false])
    })

    test('bring who joins into their conversations, with nothing unread, and take who leaves out', async () => {
      const { id: groupId } = await group(ann, ben)
      const talk = await conversationOf(ann.workspaceId, groupId, [ann, ben], 7)
      const private_ = await conversationOf(ann.workspaceId, null, [ann, ben], 7)
      const of = { workspaceId: ann.workspaceId, groupId }
      await run((tx) => addToGroup(tx, of, ['cleo', 'ben'], NOW))
      expect(await rowsIn(talk)).toEqual([
        { user_id: 'ann', read_sequence: 0 },
        { user_id: 'ben', read_sequence: 0 },
        { user_id: 'cleo', read_sequence: 7 },
      ])
      await run((tx) => removeFromGroup(tx, of, ['ben']))
      expect((await rowsIn(talk)).map(({ user_id }) => user_id)).toEqual(['ann', 'cleo'])
      expect((await rowsIn(private_)).map(({ user_id }) => user_id)).toEqual(['ann', 'ben'])
      expect(await run((tx) => lockGroupMembers(tx, ann.workspaceId, groupId))).toEqual(['ann', 'cleo'])
      expect(await run((tx) => findAcquaintances(tx, ann.workspaceId, 'ann'))).toEqual(['ann', 'ben', 'cleo'])
      expect(await run((tx) => findAcquaintances(tx, stranger.workspaceId, 'ann'))).toEqual(['ann'])
    })

    test('of somebody who is erased go to the eldest member, or with their owner', async () => {
      const leaving = await user(ann.workspaceId, newId('usr'))
      const shared = await group(leaving, ben)
      await run((tx) => addToGroup(tx, { workspaceId: ann.workspaceId, groupId: shared.id }, ['ann'], later(1_000)))
      const alone = await group(leaving)
      const talk = await conversationOf(ann.workspaceId, alone.id, [leaving])
      const others = await group(ann, leaving)
      await run((tx) => removeFromAllGroups(tx, { member: leaving, base: 'http://localhost', now: later(2_000) }))
      expect(await findGroup(database.db, ann, shared.id)).toMatchObject({ ownerId: 'ben', memberIds: ['ann', 'ben'] })
      expect(await findGroup(database.db, ann, others.id)).toMatchObject({ ownerId: 'ann', memberIds: ['ann'] })
      expect(await run((tx) => findGroupIds(tx, ann.workspaceId, leaving.user.id))).toEqual([])
      expect(await database.db.selectFrom('conversation').select('id').where('id', '=', talk).execute()).toEqual([])
    })
  })
})
