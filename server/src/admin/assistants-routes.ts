import type { KeyedHasher } from '../audit/hashes.ts'
import {
  type Assistant,
  AssistantCreate,
  AssistantPatch,
  AssistantView,
  assistantView,
} from '../messaging/assistants/assistant.ts'
import {
  type AssistantChange,
  createAssistant,
  findAssistant,
  listAssistants,
  updateAssistant,
} from '../messaging/assistants/assistant-store.ts'
import { governFields } from '../messaging/governance/governed-fields.ts'
import { tellContact } from '../messaging/people/tell-contact.ts'
import type { AdminApp, AdminDeps } from './admin-deps.ts'
import { change } from './change.ts'
import { changedFields } from './changed-fields.ts'
import { aboutOf } from './governed-by-operator.ts'
import { inWorkspace } from './operation.ts'
import { listOf, PAGE, pageOf } from './paging.ts'
import { notFound, taken } from './refusals.ts'
import { List, pathOf } from './shapes.ts'

const UNKNOWN = { 404: 'NOT_FOUND: the assistant, the Application, or the Workspace' }
const CONFLICT = { 409: 'CONFLICT: the id or the username is taken' }

const docs = {
  list: inWorkspace('listAssistants', 'Assistants of the Workspace, by id', {
    scope: 'messaging:read',
    query: PAGE,
    answers: { 200: List(AssistantView) },
  }),
  create: inWorkspace('createAssistant', 'Create an assistant', {
    scope: 'messaging:write',
    description:
      'A contact for which an Application answers, with its default model, its settings and the policies in force: whatever is written to it in a direct conversation, and what mentions it in a group.',
    query: {},
    body: AssistantCreate,
    answers: { 201: AssistantView },
    errors: { ...UNKNOWN, ...CONFLICT },
  }),
  get: inWorkspace('getAssistant', 'One assistant', {
    scope: 'messaging:read',
    query: {},
    params: pathOf('id'),
    answers: { 200: AssistantView },
    errors: UNKNOWN,
  }),
  update: inWorkspace('updateAssistant', 'Change an assistant', {
    scope: 'messaging:write',
    description: 'What is left out stays, null empties.',
    query: {},
    params: pathOf('id'),
    body: AssistantPatch,
    answers: { 200: AssistantView },
    errors: { ...UNKNOWN, ...CONFLICT },
  }),
}

/** An assistant is a user: records name it as they name users. */
const hashed =
  ({ id }: Assistant) =>
  (hasher: KeyedHasher): string =>
    hasher.user(id) ?? ''

export function assistantsRoutes(app: AdminApp, deps: AdminDeps): void {
  const { db } = deps

  app.get('/assistants', { schema: docs.list }, async ({ workspaceId, query }) =>
    listOf(await listAssistants(db, workspaceId, pageOf(query)), assistantView, ({ id }) => id),
  )

  app.post('/assistants', { schema: docs.create }, async (request, reply) => {
    const { workspaceId, body } = request
    const { id, username, display_name: displayName, avatar_url: avatarUrl } = body
    const { fields, settle } = await governFields(deps, aboutOf(request, deps), { username, displayName, avatarUrl, id })
    const shown = { username: fields.username, display_name: fields.displayName, avatar_url: fields.avatarUrl }
    const assistant = await change(deps, request, async (tx, now) => {
      const value = changed(await createAssistant(tx, workspaceId, { ...body, ...shown }, now))
      await tellContact(tx, 'contact.created', workspaceId, value.id, request.base)
      await settle(tx)
      return { value, action: 'assistant.create', id: hashed(value), fields: changedFields(AssistantCreate, body) }
    })
    return reply.status(201).send(assistantView(assistant))
  })

  app.get('/assistants/:id', { schema: docs.get }, async ({ workspaceId, params }) => {
    const assistant = await findAssistant(db, workspaceId, params.id)
    if (!assistant) throw notFound('assistant')
    return assistantView(assistant)
  })

  app.patch('/assistants/:id', { schema: docs.update }, async (request) => {
    const { workspaceId, params, body } = request
    const { username, display_name: displayName, avatar_url: avatarUrl } = body
    const { fields, settle } = await governFields(deps, aboutOf(request, deps), { username, displayName, avatarUrl })
    const shown = { username: fields.username, display_name: fields.displayName, avatar_url: fields.avatarUrl }
    const assistant = await change(deps, request, async (tx, now) => {
      const value = changed(await updateAssistant(tx, workspaceId, params.id, { ...body, ...shown }, now))
      await tellContact(tx, 'contact.updated', workspaceId, value.id, request.base)
      await settle(tx)
      return { value, action: 'assistant.update', id: hashed(value), fields: changedFields(AssistantPatch, body) }
    })
    return assistantView(assistant)
  })
}

function changed(result: AssistantChange): Assistant {
  if (result.ok) return result.assistant
  switch (result.reason) {
    case 'not_found':
      throw notFound('assistant')
    case 'no_application':
      throw notFound('Application')
    case 'id_taken':
      throw taken('id', 'a user of that id')
    case 'username_taken':
      throw taken('username', 'a user of that username')
  }
}
