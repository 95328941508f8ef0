import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { MessagingDeps } from '../door/messaging-deps.ts'
import { ListOf, listView, PAGE, pageQuery, unknownCursor } from '../door/pages.ts'
import { forbidden, invalid, notFound } from '../door/refusals.ts'
import { readRoute, writeRoute } from '../door/route.ts'
import { governFields } from '../governance/governed-fields.ts'
import { ContactUpdate, ContactView, contactView } from './contact.ts'
import { findContact, listContacts, updateProfile } from './contact-store.ts'
import { tellContact } from './tell-contact.ts'

const UNKNOWN = { 404: 'NOT_FOUND' }

/** Contacts are the users of the Workspace: operators add and remove them, and everybody keeps their own profile. */
export function contactRoutes(app: FastifyInstance, deps: MessagingDeps): void {
  readRoute(app, deps, {
    method: 'GET',
    path: '/v1/contacts',
    docs: {
      operationId: 'listContacts',
      summary: 'The people and assistants of the Workspace but the caller, by username',
      query: { ...PAGE, username: Type.Optional(Type.String({ maxLength: 200, description: 'Only who has exactly this one.' })) },
      answers: { 200: ListOf(ContactView) },
    },
    handle: async ({ member, query, base }, { db }) => {
      const page = pageQuery(query)
      const found = await listContacts(db, member, page, query)
      if (!found) throw unknownCursor(page)
      return listView(found, (contact) => contactView(contact, base))
    },
  })

  readRoute(app, deps, {
    method: 'GET',
    path: '/v1/contacts/:id',
    docs: { operationId: 'getContact', summary: 'One contact', answers: { 200: ContactView }, errors: UNKNOWN },
    handle: async ({ member, params, base }, { db }) => {
      const contact = await findContact(db, member.workspaceId, params.id ?? '')
      if (!contact) throw notFound('contact')
      return contactView(contact, base)
    },
  })

  writeRoute(app, deps, {
    method: 'PUT',
    path: '/v1/contacts/:id',
    docs: {
      operationId: 'updateContact',
      summary: "Change the caller's own profile",
      description: 'What is left out stays, null or the empty text empties.',
      answers: { 200: ContactView },
      errors: {
        ...UNKNOWN,
        403: 'FORBIDDEN: it is somebody else, or POLICY_DENIED, with audit_id: the policies at `message` refuse a text of it',
      },
    },
    body: ContactUpdate,
    prepare: async ({ member, params, body, now }, deps) => {
      const { db } = deps
      const { display_name: displayName, phone_number: phoneNumber, avatar_url: avatarUrl } = body
      if (params.id !== member.user.id) {
        if (!(await findContact(db, member.workspaceId, params.id ?? ''))) throw notFound('contact')
        throw forbidden('Only they themselves may change their profile.')
      }
      if (displayName === undefined && phoneNumber === undefined && avatarUrl === undefined) {
        throw invalid({ param: '', message: 'must name display_name, phone_number or avatar_url' })
      }
      const about = { workspaceId: member.workspaceId, author: member.user, now }
      return governFields(deps, about, { displayName, avatarUrl, phoneNumber: phoneNumber === null ? '' : phoneNumber })
    },
    write: async (tx, { member, base }, { fields, settle }) => {
      const contact = await updateProfile(tx, member, fields)
      if (!contact) throw notFound('contact')
      await tellContact(tx, 'contact.updated', member.workspaceId, contact.id, base)
      await settle(tx)
      return { status: 200, body: contactView(contact, base) }
    },
  })
}
