import type { KeyedHasher } from '../../../domains/audit/record/hashes.ts'
import {
  type Assistant,
  AssistantCreate,
  AssistantPatch,
  AssistantView,
  assistantView,
} from '../../../domains/messaging/assistants/assistant.ts'
import {
  type AssistantChange,
  createAssistant,
  findAssistant,
  listAssistants,
  updateAssistant,
} from '../../../domains/messaging/assistants/assistant-store.ts'
import { governFields } from '../../../domains/messaging/governance/governed-fields.ts'
import type { GovernTextDeps } from '../../../domains/messaging/governance/governed-text.ts'
import { emitContact } from '../../../domains/messaging/people/emit-contact.ts'
import { accepted, notFound, requireFound, taken } from '../../../shared/refusals.ts'
import { List, listOf, PAGE, pageOf } from '../../kit/paging.ts'
import { handle, type TypedApp } from '../../kit/route.ts'
import { type ChangeDeps, change } from '../kit/change.ts'
import { changedFields } from '../kit/changed-fields.ts'
import { inWorkspace } from '../kit/operation.ts'
import { operatorAuthor } from './operator-author.ts'

const UNKNOWN = { 404: 'NOT_FOUND: the assistant, the Application, or the Workspace' }
const CONFLICT = { 409: 'CONFLICT: the id or the username is taken' }

const docs = {
  list: inWorkspace('GET /assistants', 'listAssistants', 'List assistants, by id', {
    scope: 'messaging:read',
    query: PAGE,
    answers: { 200: List(AssistantView) },
  }),
  create: inWorkspace('POST /assistants', 'createAssistant', 'Create an assistant', {
    scope: 'messaging:write',
    description:
      "An assistant is a contact. Its Application answers messages in direct conversations and mentions in groups, with the Application's default model and settings and the active policies.",
    body: AssistantCreate,
    answers: { 201: AssistantView },
    errors: { ...UNKNOWN, ...CONFLICT },
  }),
  get: inWorkspace('GET /assistants/:id', 'getAssistant', 'Get an assistant', {
    scope: 'messaging:read',
    answers: { 200: AssistantView },
    errors: UNKNOWN,
  }),
  update: inWorkspace('PATCH /assistants/:id', 'updateAssistant', 'Change an assistant', {
    scope: 'messaging:write',
    description: 'Missing fields stay unchanged. null clears a field.',
    body: AssistantPatch,
    answers: { 200: AssistantView },
    errors: { ...UNKNOWN, ...CONFLICT },
  }),
}

/** An assistant is a user, so audit records contain its keyed hash. */
const auditIdOf =
  ({ id }: Assistant) =>
  (hasher: KeyedHasher): string =>
    hasher.user(id) ?? ''

export function assistantsRoutes(app: TypedApp, deps: ChangeDeps & GovernTextDeps): void {
  const { db } = deps

  handle(app, docs.list, async ({ workspaceId, query }) =>
    listOf(await listAssistants(db, workspaceId, pageOf(query)), assistantView, ({ id }) => id),
  )

  handle(app, docs.create, async (request, reply) => {
    const { workspaceId, body } = request
    const { id, username, display_name: displayName, avatar_url: avatarUrl } = body
    const { fields, settle } = accepted(
      await governFields(deps, operatorAuthor(request, deps), { username, displayName, avatarUrl, id }),
    )
    const governed = { username: fields.username, display_name: fields.displayName, avatar_url: fields.avatarUrl }
    const assistant = await change(deps, request, async (tx, now) => {
      const value = requireChanged(await createAssistant(tx, workspaceId, { ...body, ...governed }, now))
      await emitContact(tx, 'contact.created', workspaceId, value.id, request.base)
      await settle(tx)
      return { value, action: 'assistant.create', id: auditIdOf(value), fields: changedFields(AssistantCreate, body) }
    })
    return reply.status(201).send(assistantView(assistant))
  })

  handle(app, docs.get, async ({ workspaceId, params }) => {
    const assistant = requireFound(await findAssistant(db, workspaceId, params.id), 'assistant')
    return assistantView(assistant)
  })

  handle(app, docs.update, async (request) => {
    const { workspaceId, params, body } = request
    const { username, display_name: displayName, avatar_url: avatarUrl } = body
    const { fields, settle } = accepted(
      await governFields(deps, operatorAuthor(request, deps), { username, displayName, avatarUrl }),
    )
    const governed = { username: fields.username, display_name: fields.displayName, avatar_url: fields.avatarUrl }
    const assistant = await change(deps, request, async (tx, now) => {
      const value = requireChanged(await updateAssistant(tx, workspaceId, params.id, { ...body, ...governed }, now))
      await emitContact(tx, 'contact.updated', workspaceId, value.id, request.base)
      await settle(tx)
      return { value, action: 'assistant.update', id: auditIdOf(value), fields: changedFields(AssistantPatch, body) }
    })
    return assistantView(assistant)
  })
}

function requireChanged(result: AssistantChange): Assistant {
  if (result.ok) return result.assistant
  switch (result.reason) {
    case 'not_found':
      throw notFound('assistant')
    case 'no_application':
      throw notFound('Application')
    case 'id_taken':
      throw taken('id', 'User id')
    case 'username_taken':
      throw taken('username', 'Username')
  }
}
