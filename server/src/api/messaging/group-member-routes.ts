import { GroupView, groupView, MemberAdd } from '../../domains/messaging/groups/group.ts'
import {
  lockOwnedGroup,
  lockVisibleGroup,
  replaceMembers,
  requireContacts,
} from '../../domains/messaging/groups/group-changes.ts'
import { findGroup } from '../../domains/messaging/groups/group-store.ts'
import { ContactView, contactView } from '../../domains/messaging/people/contact.ts'
import { listContacts } from '../../domains/messaging/people/contact-store.ts'
import { GatehouseError } from '../../errors.ts'
import { forbidden, notFound, requireFound } from '../../shared/refusals.ts'
import { ID_PAGE, IdList, idListOf, idPageOf } from '../kit/paging.ts'
import { type Route, readRoute, writeRoute } from './route.ts'

const UNKNOWN = { 404: 'NOT_FOUND: the group, or the contact' }
const OWNER_ONLY = { ...UNKNOWN, 403: 'FORBIDDEN: the caller is not the owner' }

/** Members of a group: the owner adds and removes them, and all other members can leave. */
export const groupMemberRoutes: readonly Route[] = [
  readRoute({
    target: 'GET /v1/groups/:id/contacts',
    docs: {
      operationId: 'listGroupContacts',
      summary: 'List the members of a group, by username',
      query: ID_PAGE,
      answers: { 200: IdList(ContactView) },
      errors: UNKNOWN,
    },
    handle: async ({ member, params, query, base }, { db }) => {
      const group = requireFound(await findGroup(db, member, params.id ?? ''), 'group')
      const page = idPageOf(query)
      const found = await listContacts(db, member, page, { groupId: group.id })
      return idListOf(found, page, (contact) => contactView(contact, base))
    },
  }),
  writeRoute({
    target: 'POST /v1/groups/:id/contacts',
    docs: {
      operationId: 'addGroupContact',
      summary: 'Add a contact to a group',
      description: 'The new member sees all conversations of the group. Adding a member again changes nothing.',
      answers: { 200: GroupView },
      errors: OWNER_ONLY,
    },
    body: MemberAdd,
    write: async (tx, request) => {
      const { member, params, body, base } = request
      const before = await lockOwnedGroup(tx, member, params.id ?? '')
      const members = await requireContacts(tx, member, [...before.memberIds, body.contact_id])
      return { status: 200, body: groupView(await replaceMembers(tx, request, before, members), base) }
    },
  }),
  writeRoute({
    target: 'DELETE /v1/groups/:id/contacts/:contact_id',
    docs: {
      operationId: 'removeGroupContact',
      summary: 'Remove a contact from a group, or leave it',
      answers: { 204: null },
      errors: { ...OWNER_ONLY, 409: 'CONFLICT: the owner must set another owner first' },
    },
    write: async (tx, request) => {
      const { member, params } = request
      const { id = '', contact_id: contactId = '' } = params
      const before = await lockVisibleGroup(tx, member, id)
      if (contactId !== member.user.id && before.ownerId !== member.user.id) {
        throw forbidden('Only the owner of the group can remove other members.')
      }
      if (!before.memberIds.includes(contactId)) throw notFound('contact')
      if (contactId === before.ownerId) {
        throw new GatehouseError('CONFLICT', { message: 'The owner cannot leave the group. Set another owner_id first.' })
      }
      const remainingIds = before.memberIds.filter((id) => id !== contactId)
      await replaceMembers(tx, request, before, remainingIds)
      return { status: 204, body: undefined }
    },
  }),
]
