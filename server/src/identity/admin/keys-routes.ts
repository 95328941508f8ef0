import { type ChangeDeps, change } from '../../admin/kit/change.ts'
import { inWorkspace } from '../../admin/kit/operation.ts'
import { List, listOf, PAGE, pageOf } from '../../http/paging.ts'
import { notFound } from '../../http/refusals.ts'
import { handle, type TypedApp } from '../../http/route.ts'
import { findResponsibleOperator } from '../../operators/admin-token-store.ts'
import { ApiKeyCreate, ApiKeyView, apiKeyView, IssuedApiKeyView } from '../api-key.ts'
import { issueKey, listKeys, revokeKey } from '../api-key-store.ts'
import { findApplication } from '../application-store.ts'
import { KEYS_TOPIC } from '../authenticator.ts'

const UNKNOWN = { 404: 'NOT_FOUND: the Application, or the Workspace' }

const docs = {
  list: inWorkspace(
    'GET /applications/:id/keys',
    'listKeys',
    "List an Application's keys, including revoked keys, oldest first",
    {
      scope: 'applications:read',
      query: PAGE,
      answers: { 200: List(ApiKeyView) },
      errors: UNKNOWN,
    },
  ),
  issue: inWorkspace('POST /applications/:id/keys', 'issueKey', 'Issue a key. Only this response contains it', {
    scope: 'applications:write',
    description: 'The operator who issues a key cannot decide on its requests.',
    body: ApiKeyCreate,
    answers: { 201: IssuedApiKeyView },
    errors: UNKNOWN,
  }),
  revoke: inWorkspace(
    'POST /keys/:id/revoke',
    'revokeKey',
    'Revoke a key: immediately on this node, within a second on all others',
    {
      scope: 'applications:write',
      description: 'Revoking a revoked key changes nothing.',
      answers: { 200: ApiKeyView },
      errors: { 404: 'NOT_FOUND: the key, or the Workspace' },
    },
  ),
}

export function keysRoutes(app: TypedApp, deps: ChangeDeps): void {
  const { db } = deps

  handle(app, docs.list, async ({ workspaceId, params, query }) => {
    const owner = { workspaceId, applicationId: params.id }
    if (!(await findApplication(db, workspaceId, params.id))) throw notFound('Application')
    return listOf(await listKeys(db, owner, pageOf(query)), apiKeyView, ({ id }) => id)
  })

  handle(app, docs.issue, async (request, reply) => {
    const { workspaceId, operator, params, body } = request
    const issued = await change(deps, request, async (tx, now) => {
      const value = await issueKey(
        tx,
        { workspaceId, applicationId: params.id },
        body.name,
        now,
        await findResponsibleOperator(tx, operator.id),
      )
      if (!value) throw notFound('Application')
      return { value, action: 'key.issue', id: value.id, fields: ['name'] }
    })
    return reply.status(201).send({ key: issued.key, ...apiKeyView(issued) })
  })

  handle(app, docs.revoke, async (request) => {
    const key = await change(deps, request, async (tx, now) => {
      const value = await revokeKey(tx, request.workspaceId, request.params.id, now)
      if (!value) throw notFound('key')
      return { value, action: 'key.revoke', id: value.id, fields: ['revoked_at'], announce: [KEYS_TOPIC, value.id] }
    })
    return apiKeyView(key)
  })
}
