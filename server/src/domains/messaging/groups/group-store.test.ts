import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../../../../test/support/close-after-all.ts'
import { testDatabases } from '../../../../test/support/database.ts'
import { SEEDED_AT, seedGroup, seedMember } from '../../../../test/support/messaging-seed.ts'
import { seedWorkspace } from '../../../../test/support/seed.ts'
import type { Tx } from '../../../platform/db/database.ts'
import { fromId, newId, newUuid } from '../../../platform/lib/id.ts'
import { findAcquaintances } from '../people/contact-store.ts'
import { findGroupIds, isGroupMember, lockGroupMembers } from '../people/group-member-store.ts'
import type { Member } from '../people/member.ts'
import { removeFromAllGroups } from './group-changes.ts'
import { addToGroup, findGroup, listGroups, lockGroup, removeFromGroup } from './group-store.ts'

const later = (ms: number): Date => new Date(SEEDED_AT.getTime() + ms)

describe.each(testDatabases())('groups on $name', async ({ open }) => {
  const createMember = (workspace: string, id: string) => seedMember(database.db, workspace, id)
  const run = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => database.db.transaction().execute(work)
  const createTeam = (...members: [Member, ...Member[]]) => seedGroup(database.db, ...members)
  const createConversation = async (
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
        created_at: SEEDED_AT,
      })
      .execute()
    for (const member of members) {
      const state = { sort_at: SEEDED_AT, is_pinned: false, is_muted: false, read_sequence: 0 }
      const ids = { workspace_id: workspace, conversation_id: id, user_id: member.user.id }
      await database.db
        .insertInto('conversation_member')
        .values({ ...ids, ...state })
        .execute()
    }
    return id
  }
  const membershipsOf = (conversation: string) =>
    database.db
      .selectFrom('conversation_member')
      .select(['user_id', 'read_sequence'])
      .where('conversation_id', '=', conversation)
      .orderBy('user_id')
      .execute()

  const database = await closeAfterAll(open())
  const { workspaceId } = await seedWorkspace(database.db)
  const ids = ['ann', 'ben', 'cleo']
  const [ann, ben, cleo] = (await Promise.all(ids.map((id) => createMember(workspaceId, id)))) as [Member, Member, Member]
  const otherAnn = await createMember((await seedWorkspace(database.db)).workspaceId, 'ann')

  test('groups: only members can find, lock and list them', async () => {
    const { db } = database
    const { id } = await createTeam(ann, ben)
    expect(await findGroup(db, ben, id)).toMatchObject({ id, ownerId: 'ann', memberIds: ['ann', 'ben'] })
    for (const outsider of [cleo, otherAnn]) {
      expect(await findGroup(db, outsider, id)).toBeUndefined()
      expect(await run((tx) => lockGroup(tx, outsider, id))).toBeUndefined()
      expect(await listGroups(db, outsider, { limit: 1, after: id })).toBeUndefined()
    }
    expect([await isGroupMember(db, ann.workspaceId, id, 'ben'), await isGroupMember(db, ann.workspaceId, id, 'cleo')]).toEqual([
      true,
      false,
    ])
    expect(await isGroupMember(db, otherAnn.workspaceId, id, 'ann')).toBe(false)
    expect(await run((tx) => lockGroupMembers(tx, ann.workspaceId, id))).toEqual(['ann', 'ben'])
    expect(await run((tx) => lockGroupMembers(tx, otherAnn.workspaceId, id))).toEqual([])
    expect(await findGroup(db, ann, newId('grp'))).toBeUndefined()
  })

  test('groups: pages go in both directions, newest first', async () => {
    const owner = await createMember(ann.workspaceId, newId('usr'))
    const ids = [(await createTeam(owner)).id, (await createTeam(owner)).id, (await createTeam(owner)).id].toReversed()
    const page = async (limit: number, cursor?: 'after' | 'before', at = 0) => {
      const found = await listGroups(database.db, owner, { limit, ...(cursor && { [cursor]: ids[at] }) })
      return [found?.data.map(({ id }) => id), found?.hasMore]
    }
    expect(await page(2)).toEqual([ids.slice(0, 2), true])
    expect(await page(2, 'after', 1)).toEqual([[ids[2]], false])
    expect(await page(1, 'before', 2)).toEqual([[ids[1]], true])
    expect(await page(2, 'before', 2)).toEqual([ids.slice(0, 2), false])
  })

  test('groups: new members join the conversations without unread messages, and removed members leave them', async () => {
    const { id: groupId } = await createTeam(ann, ben)
    const groupConversation = await createConversation(ann.workspaceId, groupId, [ann, ben], 7)
    const directConversation = await createConversation(ann.workspaceId, null, [ann, ben], 7)
    const reference = { workspaceId: ann.workspaceId, groupId }
    await run((tx) => addToGroup(tx, reference, ['cleo', 'ben'], SEEDED_AT))
    expect(await membershipsOf(groupConversation)).toEqual([
      { user_id: 'ann', read_sequence: 0 },
      { user_id: 'ben', read_sequence: 0 },
      { user_id: 'cleo', read_sequence: 7 },
    ])
    await run((tx) => removeFromGroup(tx, reference, ['ben']))
    expect((await membershipsOf(groupConversation)).map(({ user_id }) => user_id)).toEqual(['ann', 'cleo'])
    expect((await membershipsOf(directConversation)).map(({ user_id }) => user_id)).toEqual(['ann', 'ben'])
    expect(await run((tx) => lockGroupMembers(tx, ann.workspaceId, groupId))).toEqual(['ann', 'cleo'])
    expect(await run((tx) => findAcquaintances(tx, ann.workspaceId, 'ann'))).toEqual(['ann', 'ben', 'cleo'])
    expect(await run((tx) => findAcquaintances(tx, otherAnn.workspaceId, 'ann'))).toEqual(['ann'])
  })

  test('groups: the earliest member becomes the owner when the owner is erased, and a group without other members is deleted', async () => {
    const leaving = await createMember(ann.workspaceId, newId('usr'))
    const sharedGroup = await createTeam(leaving, ben)
    await run((tx) => addToGroup(tx, { workspaceId: ann.workspaceId, groupId: sharedGroup.id }, ['ann'], later(1_000)))
    const ownGroup = await createTeam(leaving)
    const groupConversation = await createConversation(ann.workspaceId, ownGroup.id, [leaving])
    const annsGroup = await createTeam(ann, leaving)
    await run((tx) => removeFromAllGroups(tx, { member: leaving, base: 'http://localhost', now: later(2_000) }))
    expect(await findGroup(database.db, ann, sharedGroup.id)).toMatchObject({ ownerId: 'ben', memberIds: ['ann', 'ben'] })
    expect(await findGroup(database.db, ann, annsGroup.id)).toMatchObject({ ownerId: 'ann', memberIds: ['ann'] })
    expect(await run((tx) => findGroupIds(tx, ann.workspaceId, leaving.user.id))).toEqual([])
    expect(await database.db.selectFrom('conversation').select('id').where('id', '=', groupConversation).execute()).toEqual([])
  })
})
