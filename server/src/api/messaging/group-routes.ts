import { governFields } from '../../domains/messaging/governance/governed-fields.ts'
import { GroupCreate, GroupUpdate, GroupView, groupView, MemberAdd } from '../../domains/messaging/groups/group.ts'
import {
  checkContacts,
  deleteGroupWithConversations,
  emitGroup,
  lockOwnedGroup,
  ownedGroup,
  replaceMembers,
} from '../../domains/messaging/groups/group-changes.ts'
import { createGroup, findGroup, listGroups, lockGroup, updateGroup } from '../../domains/messaging/groups/group-store.ts'
import type { MessagingDeps } from '../../domains/messaging/messaging-deps.ts'
import { ContactView, contactView } from '../../domains/messaging/people/contact.ts'
import { listContacts } from '../../domains/messaging/people/contact-store.ts'
import type { Member } from '../../domains/messaging/people/member.ts'
import { Refusal, refuseForbidden, refuseUnknown } from '../../shared/refusal.ts'
import { accepted, invalid, requireFound } from '../../shared/request-errors.ts'
import { ID_PAGE, IdList, idListOf, idPageOf } from '../kit/paging.ts'
import { handle, type TypedApp } from '../kit/route.ts'
import { operation, UNKNOWN_GROUP } from './operation.ts'
import { handlePrepared, handleWrite } from './write.ts'

const NOT_OWNER = { 403: 'FORBIDDEN: the caller is not the owner' }
const OWNER_ONLY = { ...UNKNOWN_GROUP, ...NOT_OWNER }
const UNKNOWN_MEMBER = { 404: 'NOT_FOUND: the group, or the contact' }
const DENIED = 'POLICY_DENIED, with audit_id: a policy at the point `message` denies a text'

const aboutOf = ({ workspaceId, user: author }: Member, now: Date) => ({ workspaceId, author, now })

const docs = {
  listGroups: operation('GET /v1/groups', 'listGroups', {
    summary: "List the caller's groups, newest first",
    query: ID_PAGE,
    answers: { 200: IdList(GroupView) },
  }),
  getGroup: operation('GET /v1/groups/:id', 'getGroup', {
    summary: 'Get a group',
    answers: { 200: GroupView },
    errors: UNKNOWN_GROUP,
  }),
  createGroup: operation('POST /v1/groups', 'createGroup', {
    summary: 'Create a group that the caller owns',
    body: GroupCreate,
    answers: { 201: GroupView },
    errors: { 403: DENIED, 404: 'NOT_FOUND: one of the contacts' },
  }),
  updateGroup: operation('PUT /v1/groups/:id', 'updateGroup', {
    summary: 'Change a group',
    body: GroupUpdate,
    description: 'Missing fields stay unchanged. `contacts` replaces all members except the owner.',
    answers: { 200: GroupView },
    errors: { ...OWNER_ONLY, 403: `${OWNER_ONLY[403]}, or ${DENIED}` },
  }),
  deleteGroup: operation('DELETE /v1/groups/:id', 'deleteGroup', {
    summary: 'Delete a group, its conversations and their messages, permanently',
    answers: { 204: null },
    errors: OWNER_ONLY,
  }),
  listGroupContacts: operation('GET /v1/groups/:id/contacts', 'listGroupContacts', {
    summary: 'List the members of a group, by username',
    query: ID_PAGE,
    answers: { 200: IdList(ContactView) },
    errors: UNKNOWN_MEMBER,
  }),
  addGroupContact: operation('POST /v1/groups/:id/contacts', 'addGroupContact', {
    summary: 'Add a contact to a group',
    body: MemberAdd,
    description: 'The new member sees all conversations of the group. Adding a member again changes nothing.',
    answers: { 200: GroupView },
    errors: { ...UNKNOWN_MEMBER, ...NOT_OWNER },
  }),
  removeGroupContact: operation('DELETE /v1/groups/:id/contacts/:contact_id', 'removeGroupContact', {
    summary: 'Remove a contact from a group, or leave it',
    answers: { 204: null },
    errors: { ...UNKNOWN_MEMBER, ...NOT_OWNER, 409: 'CONFLICT: the owner must set another owner first' },
  }),
}

export function groupRoutes(app: TypedApp, deps: MessagingDeps): void {
  const { db } = deps

  handle(app, docs.listGroups, async ({ member, query, base }) => {
    const page = idPageOf(query)
    return idListOf(await listGroups(db, member, page), page, (group) => groupView(group, base))
  })

  handle(app, docs.getGroup, async ({ member, params, base }) =>
    groupView(requireFound(await findGroup(db, member, params.id), 'group'), base),
  )

  handlePrepared(app, deps, docs.createGroup, {
    prepare: ({ member, body, now }) => {
      const { name, description = '', avatar_url: avatarUrl = null } = body
      return governFields(deps, aboutOf(member, now), { name, description, avatarUrl })
    },
    write: async (tx, { member, body, base, now }, { fields, settle }) => {
      const ownerId = member.user.id
      const members = accepted(await checkContacts(tx, member, [ownerId, ...(body.contacts ?? [])]))
      const group = await createGroup(tx, member.workspaceId, { ...fields, ownerId }, members, now)
      await emitGroup(tx, { member, base }, 'group.created', group)
      await settle(tx)
      return { status: 201, body: groupView(group, base) }
    },
  })

  handlePrepared(app, deps, docs.updateGroup, {
    prepare: async ({ member, params, body, now }) => {
      const { name, description, avatar_url: avatarUrl, contacts, owner_id: ownerId } = body
      if ([name, description, avatarUrl, contacts, ownerId].every((field) => field === undefined))
        throw invalid({ param: '', message: 'must have name, description, avatar_url, contacts or owner_id' })
      const { id: groupId } = accepted(ownedGroup(member, await findGroup(db, member, params.id)))
      return governFields(deps, { ...aboutOf(member, now), groupId }, { name, description, avatarUrl })
    },
    write: async (tx, request, { fields, settle }) => {
      const { member, params, body, base, now } = request
      const { contacts, owner_id: ownerId } = body
      const before = accepted(await lockOwnedGroup(tx, member, params.id))
      const ids = [ownerId ?? before.ownerId, ...(contacts ?? before.memberIds)]
      const members = accepted(await checkContacts(tx, member, ids))
      await updateGroup(tx, member.workspaceId, before.id, { ...fields, ownerId }, now)
      const group = await replaceMembers(tx, request, before, members)
      await settle(tx)
      return { status: 200, body: groupView(group, base) }
    },
  })

  handleWrite(app, deps, docs.deleteGroup, async (tx, { member, params, now }) => {
    const group = accepted(await lockOwnedGroup(tx, member, params.id))
    await deleteGroupWithConversations(tx, member.workspaceId, group, now)
    return { status: 204 }
  })
  memberRoutes(app, deps)
}

function memberRoutes(app: TypedApp, deps: MessagingDeps): void {
  const { db } = deps

  handle(app, docs.listGroupContacts, async ({ member, params, query, base }) => {
    const { id: groupId } = requireFound(await findGroup(db, member, params.id), 'group')
    const page = idPageOf(query)
    return idListOf(await listContacts(db, member, page, { groupId }), page, (contact) => contactView(contact, base))
  })

  handleWrite(app, deps, docs.addGroupContact, async (tx, request) => {
    const { member, params, body, base } = request
    const before = accepted(await lockOwnedGroup(tx, member, params.id))
    const members = accepted(await checkContacts(tx, member, [...before.memberIds, body.contact_id]))
    return { status: 200, body: groupView(await replaceMembers(tx, request, before, members), base) }
  })

  handleWrite(app, deps, docs.removeGroupContact, async (tx, request) => {
    const { member, params } = request
    const { id, contact_id: contactId } = params
    const before = requireFound(await lockGroup(tx, member, id), 'group')
    if (contactId !== member.user.id && before.ownerId !== member.user.id)
      return refuseForbidden('Only the owner of the group can remove other members.')
    if (!before.memberIds.includes(contactId)) return refuseUnknown('contact')
    if (contactId === before.ownerId)
      return new Refusal('CONFLICT', { message: 'The owner cannot leave the group. Set another owner_id first.' })
    const remainingIds = before.memberIds.filter((memberId) => memberId !== contactId)
    await replaceMembers(tx, request, before, remainingIds)
    return { status: 204 }
  })
}
