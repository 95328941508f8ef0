import { Type } from 'typebox'
import { governFields } from '../../domains/messaging/governance/governed-fields.ts'
import type { MessagingDeps } from '../../domains/messaging/messaging-deps.ts'
import { ContactUpdate, ContactView, contactView } from '../../domains/messaging/people/contact.ts'
import { emitContact, findContact, listContacts, updateProfile } from '../../domains/messaging/people/contact-store.ts'
import { forbidden, invalid, notFound, requireFound } from '../../shared/request-errors.ts'
import { ID_PAGE, IdList, idListOf, idPageOf } from '../kit/paging.ts'
import { handle, type TypedApp } from '../kit/route.ts'
import { operation } from './operation.ts'
import { handlePrepared } from './write.ts'

const docs = {
  listContacts: operation('GET /v1/contacts', 'listContacts', {
    summary: 'List the users and assistants of the Workspace, without the caller, by username',
    query: {
      ...ID_PAGE,
      username: Type.Optional(Type.String({ maxLength: 200, description: 'Only the contact with exactly this username.' })),
    },
    answers: { 200: IdList(ContactView) },
  }),
  getContact: operation('GET /v1/contacts/:id', 'getContact', {
    summary: 'Get a contact',
    answers: { 200: ContactView },
    errors: { 404: 'NOT_FOUND' },
  }),
  updateContact: operation('PUT /v1/contacts/:id', 'updateContact', {
    summary: "Change the caller's own profile",
    body: ContactUpdate,
    description: 'Missing fields stay unchanged. null or an empty text clears a field.',
    answers: { 200: ContactView },
    errors: {
      404: 'NOT_FOUND',
      403: "FORBIDDEN: another user's profile. POLICY_DENIED, with audit_id: a policy at the point `message` denies a text",
    },
  }),
}

export function contactRoutes(app: TypedApp, deps: MessagingDeps): void {
  const { db } = deps

  handle(app, docs.listContacts, async ({ member, query, base }) => {
    const page = idPageOf(query)
    return idListOf(await listContacts(db, member, page, query), page, (contact) => contactView(contact, base))
  })

  handle(app, docs.getContact, async ({ member, params, base }) =>
    contactView(requireFound(await findContact(db, member.workspaceId, params.id), 'contact'), base),
  )

  handlePrepared(app, deps, docs.updateContact, {
    prepare: async ({ member: { workspaceId, user }, params, body, now }) => {
      if (params.id !== user.id) {
        if (!(await findContact(db, workspaceId, params.id))) throw notFound('contact')
        throw forbidden('You can only change your own profile.')
      }
      const { display_name: displayName, phone_number: phoneNumber, avatar_url: avatarUrl } = body
      if (displayName === undefined && phoneNumber === undefined && avatarUrl === undefined)
        throw invalid({ param: '', message: 'must have display_name, phone_number or avatar_url' })
      const fields = { displayName, avatarUrl, phoneNumber: phoneNumber === null ? '' : phoneNumber }
      return governFields(deps, { workspaceId, author: user, now }, fields)
    },
    write: async (tx, { member, base }, { fields, settle }) => {
      const contact = requireFound(await updateProfile(tx, member, fields), 'contact')
      await emitContact(tx, 'contact.updated', member.workspaceId, contact.id, base)
      await settle(tx)
      return { status: 200, body: contactView(contact, base) }
    },
  })
}
