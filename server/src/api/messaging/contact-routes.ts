import { Type } from 'typebox'
import { governFields } from '../../domains/messaging/governance/governed-fields.ts'
import { ContactUpdate, ContactView, contactView } from '../../domains/messaging/people/contact.ts'
import { findContact, listContacts, updateProfile } from '../../domains/messaging/people/contact-store.ts'
import { emitContact } from '../../domains/messaging/people/emit-contact.ts'
import { forbidden, invalid, notFound, requireFound } from '../../shared/refusals.ts'
import { ID_PAGE, IdList, idListOf, idPageOf } from '../kit/paging.ts'
import { type Route, readRoute, writeRoute } from './route.ts'

const UNKNOWN = { 404: 'NOT_FOUND' }

/** Contacts are the users of the Workspace. Operators add and remove them; each user changes their own profile. */
export const contactRoutes: readonly Route[] = [
  readRoute({
    target: 'GET /v1/contacts',
    docs: {
      operationId: 'listContacts',
      summary: 'List the users and assistants of the Workspace, without the caller, by username',
      query: {
        ...ID_PAGE,
        username: Type.Optional(Type.String({ maxLength: 200, description: 'Only the contact with exactly this username.' })),
      },
      answers: { 200: IdList(ContactView) },
    },
    handle: async ({ member, query, base }, { db }) => {
      const page = idPageOf(query)
      const found = await listContacts(db, member, page, query)
      return idListOf(found, page, (contact) => contactView(contact, base))
    },
  }),
  readRoute({
    target: 'GET /v1/contacts/:id',
    docs: { operationId: 'getContact', summary: 'Get a contact', answers: { 200: ContactView }, errors: UNKNOWN },
    handle: async ({ member, params, base }, { db }) => {
      const contact = requireFound(await findContact(db, member.workspaceId, params.id ?? ''), 'contact')
      return contactView(contact, base)
    },
  }),
  writeRoute({
    target: 'PUT /v1/contacts/:id',
    docs: {
      operationId: 'updateContact',
      summary: "Change the caller's own profile",
      description: 'Missing fields stay unchanged. null or an empty text clears a field.',
      answers: { 200: ContactView },
      errors: {
        ...UNKNOWN,
        403: "FORBIDDEN: another user's profile. POLICY_DENIED, with audit_id: a policy at the point `message` denies a text",
      },
    },
    body: ContactUpdate,
    prepare: async ({ member, params, body, now }, deps) => {
      const { db } = deps
      const { display_name: displayName, phone_number: phoneNumber, avatar_url: avatarUrl } = body
      if (params.id !== member.user.id) {
        if (!(await findContact(db, member.workspaceId, params.id ?? ''))) throw notFound('contact')
        throw forbidden('You can only change your own profile.')
      }
      if (displayName === undefined && phoneNumber === undefined && avatarUrl === undefined) {
        throw invalid({ param: '', message: 'must have display_name, phone_number or avatar_url' })
      }
      const about = { workspaceId: member.workspaceId, author: member.user, now }
      return governFields(deps, about, { displayName, avatarUrl, phoneNumber: phoneNumber === null ? '' : phoneNumber })
    },
    write: async (tx, { member, base }, { fields, settle }) => {
      const contact = requireFound(await updateProfile(tx, member, fields), 'contact')
      await emitContact(tx, 'contact.updated', member.workspaceId, contact.id, base)
      await settle(tx)
      return { status: 200, body: contactView(contact, base) }
    },
  }),
]
