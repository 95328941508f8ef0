import type { FastifyInstance } from 'fastify'
import { GatehouseError } from '../../errors.ts'
import type { MessagingDeps } from '../door/messaging-deps.ts'
import { ListOf, listView, PAGE, pageQuery, unknownCursor } from '../door/pages.ts'
import { forbidden, notFound } from '../door/refusals.ts'
import { readRoute, writeRoute } from '../door/route.ts'
import { ContactView, contactView } from './contact.ts'
import { listContacts } from './contact-store.ts'
import { GroupView, groupView, MemberAdd } from './group.ts'
import { checkMembers, heldGroup, ownGroup, setMembers } from './group-changes.ts'
import { findGroup } from './group-store.ts'

const UNKNOWN = { 404: 'NOT_FOUND: the group, or the contact' }
const OWNERS = { ...UNKNOWN, 403: 'FORBIDDEN: the caller does not own it' }

/** Who is in a group: its owner brings them in and sends them away, and everybody but the owner may leave. */
export function groupMemberRoutes(app: FastifyInstance, deps: MessagingDeps): void {
  readRoute(app, deps, {
    method: 'GET',
    path: '/v1/groups/:id/contacts',
    docs: {
      operationId: 'listGroupContacts',
      summary: "The group's members, by username",
      query: PAGE,
      answers: { 200: ListOf(ContactView) },
      errors: UNKNOWN,
    },
    handle: async ({ member, params, query, base }, { db }) => {
      const group = await findGroup(db, member, params.id ?? '')
      if (!group) throw notFound('group')
      const page = pageQuery(query)
      const found = await listContacts(db, member, page, { groupId: group.id })
      if (!found) throw unknownCursor(page)
      return listView(found, (contact) => contactView(contact, base))
    },
  })

  writeRoute(app, deps, {
    method: 'POST',
    path: '/v1/groups/:id/contacts',
    docs: {
      operationId: 'addGroupContact',
      summary: 'Bring a contact into a group',
      description: 'They see all of its conversations. Who is in it already stays.',
      answers: { 200: GroupView },
      errors: OWNERS,
    },
    body: MemberAdd,
    write: async (tx, call) => {
      const { member, params, body, base } = call
      const before = await ownGroup(tx, member, params.id ?? '')
      const members = await checkMembers(tx, member, [...before.memberIds, body.contact_id])
      return { status: 200, body: groupView(await setMembers(tx, call, before, members), base) }
    },
  })

  writeRoute(app, deps, {
    method: 'DELETE',
    path: '/v1/groups/:id/contacts/:contact_id',
    docs: {
      operationId: 'removeGroupContact',
      summary: 'Send a contact away, or leave',
      answers: { 204: null },
      errors: { ...OWNERS, 409: 'CONFLICT: an owner hands the group over first' },
    },
    write: async (tx, call) => {
      const { member, params } = call
      const { id = '', contact_id: leaving = '' } = params
      const before = await heldGroup(tx, member, id)
      if (leaving !== member.user.id && before.ownerId !== member.user.id) {
        throw forbidden('Only the owner of the group may send others away.')
      }
      if (!before.memberIds.includes(leaving)) throw notFound('contact')
      if (leaving === before.ownerId) {
        throw new GatehouseError('CONFLICT', { message: 'The owner cannot leave: give the group another owner_id first.' })
      }
      await setMembers(
        tx,
        call,
        before,
        before.memberIds.filter((each) => each !== leaving),
      )
      return { status: 204, body: undefined }
    },
  })
}
