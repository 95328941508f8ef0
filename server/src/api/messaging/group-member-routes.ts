import { GroupView, groupView, MemberAdd } from '../../domains/messaging/groups/group.ts'
import { checkContacts, lockOwnedGroup, replaceMembers } from '../../domains/messaging/groups/group-changes.ts'
import { findGroup, lockGroup } from '../../domains/messaging/groups/group-store.ts'
import type { MessagingDeps } from '../../domains/messaging/messaging-deps.ts'
import { ContactView, contactView } from '../../domains/messaging/people/contact.ts'
import { listContacts } from '../../domains/messaging/people/contact-store.ts'
import { Refusal, refuseForbidden, refuseUnknown } from '../../shared/refusal.ts'
import { accepted, requireFound } from '../../shared/request-errors.ts'
import { ID_PAGE, IdList, idListOf, idPageOf } from '../kit/paging.ts'
import { handle, type TypedApp } from '../kit/route.ts'
import { operation } from './operation.ts'
import { write } from './write.ts'

const UNKNOWN = { 404: 'NOT_FOUND: the group, or the contact' }
const OWNER_ONLY = { ...UNKNOWN, 403: 'FORBIDDEN: the caller is not the owner' }

const docs = {
  listGroupContacts: operation('GET /v1/groups/:id/contacts', 'listGroupContacts', {
    summary: 'List the members of a group, by username',
    query: ID_PAGE,
    answers: { 200: IdList(ContactView) },
    errors: UNKNOWN,
  }),
  addGroupContact: operation('POST /v1/groups/:id/contacts', 'addGroupContact', {
    summary: 'Add a contact to a group',
    body: MemberAdd,
    description: 'The new member sees all conversations of the group. Adding a member again changes nothing.',
    answers: { 200: GroupView },
    errors: OWNER_ONLY,
  }),
  removeGroupContact: operation('DELETE /v1/groups/:id/contacts/:contact_id', 'removeGroupContact', {
    summary: 'Remove a contact from a group, or leave it',
    answers: { 204: null },
    errors: { ...OWNER_ONLY, 409: 'CONFLICT: the owner must set another owner first' },
  }),
}

/** Members of a group: the owner adds and removes them, and all other members can leave. */
export function groupMemberRoutes(app: TypedApp, deps: MessagingDeps): void {
  const { db } = deps

  handle(app, docs.listGroupContacts, async ({ member, params, query, base }) => {
    const { id: groupId } = requireFound(await findGroup(db, member, params.id), 'group')
    const page = idPageOf(query)
    return idListOf(await listContacts(db, member, page, { groupId }), page, (contact) => contactView(contact, base))
  })

  handle(app, docs.addGroupContact, async (request, reply) => {
    const { member, params, body, base } = request
    return write(request, reply, deps, async (tx) => {
      const before = accepted(await lockOwnedGroup(tx, member, params.id))
      const members = accepted(await checkContacts(tx, member, [...before.memberIds, body.contact_id]))
      return { status: 200, body: groupView(await replaceMembers(tx, request, before, members), base) }
    })
  })

  handle(app, docs.removeGroupContact, async (request, reply) => {
    const { member, params } = request
    const { id, contact_id: contactId } = params
    return write(request, reply, deps, async (tx) => {
      const before = requireFound(await lockGroup(tx, member, id), 'group')
      if (contactId !== member.user.id && before.ownerId !== member.user.id) {
        return refuseForbidden('Only the owner of the group can remove other members.')
      }
      if (!before.memberIds.includes(contactId)) return refuseUnknown('contact')
      if (contactId === before.ownerId) {
        return new Refusal('CONFLICT', { message: 'The owner cannot leave the group. Set another owner_id first.' })
      }
      const remainingIds = before.memberIds.filter((memberId) => memberId !== contactId)
      await replaceMembers(tx, request, before, remainingIds)
      return { status: 204 }
    })
  })
}
