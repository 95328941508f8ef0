import {
  ApiKeyCreate,
  ApiKeyRotate,
  ApiKeyView,
  apiKeyView,
  DEFAULT_OVERLAP_S,
  IssuedApiKeyView,
} from '../../../domains/identity/api-key.ts'
import { findKey, issueKey, listKeys, revokeKey } from '../../../domains/identity/api-key-store.ts'
import { findApplication } from '../../../domains/identity/application-store.ts'
import { KEYS_TOPIC } from '../../../domains/identity/authenticator.ts'
import { type RotatedKey, rotateKey } from '../../../domains/identity/rotate-key.ts'
import { findResponsibleOperator } from '../../../domains/operators/admin-token-store.ts'
import { GatehouseError } from '../../../errors.ts'
import { parseTime } from '../../../platform/lib/clock.ts'
import { invalid, notFound, requireFound } from '../../../shared/refusals.ts'
import { List, listOf, PAGE, pageOf } from '../../kit/paging.ts'
import { handle, type TypedApp } from '../../kit/route.ts'
import { type ChangeDeps, change } from '../kit/change.ts'
import { changedFields } from '../kit/changed-fields.ts'
import { inWorkspace } from '../kit/operation.ts'

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
  get: inWorkspace('GET /keys/:id', 'getKey', 'Get a key without its secret: whether and when it was used', {
    scope: 'applications:read',
    answers: { 200: ApiKeyView },
    errors: { 404: 'NOT_FOUND: the key, or the Workspace' },
  }),
  rotate: inWorkspace('POST /keys/:id/rotate', 'rotateKey', 'Replace a key: issue a new key, and let the old one expire', {
    scope: 'applications:write',
    description:
      'Both keys are valid during the overlap. A key can be replaced once. The operator cannot decide on requests of the new key.',
    body: ApiKeyRotate,
    answers: { 201: IssuedApiKeyView },
    errors: { 404: 'NOT_FOUND: the key, or the Workspace', 409: 'CONFLICT: the key is revoked, expired or already replaced' },
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
      const value = await issueKey(tx, { workspaceId, applicationId: params.id }, body.name, now, {
        issuer: await findResponsibleOperator(tx, operator.id),
        expiresAt: futureTime(body.expires_at, now) ?? null,
      })
      if (!value) throw notFound('Application')
      return { value, action: 'key.issue', id: value.id, fields: changedFields(ApiKeyCreate, body) }
    })
    return reply.status(201).send({ key: issued.key, ...apiKeyView(issued) })
  })

  handle(app, docs.get, async ({ workspaceId, params }) =>
    apiKeyView(requireFound(await findKey(db, workspaceId, params.id), 'key')),
  )

  rotateRoute(app, deps)

  handle(app, docs.revoke, async (request) => {
    const key = await change(deps, request, async (tx, now) => {
      const value = await revokeKey(tx, request.workspaceId, request.params.id, now)
      if (!value) throw notFound('key')
      return { value, action: 'key.revoke', id: value.id, fields: ['revoked_at'], announce: [KEYS_TOPIC, value.id] }
    })
    return apiKeyView(key)
  })
}

const NOT_ROTATED: Readonly<Record<Exclude<Extract<RotatedKey, { ok: false }>['reason'], 'not_found'>, string>> = {
  revoked: 'The key is revoked. Create a new key instead.',
  expired: 'The key has expired. Create a new key instead.',
  replaced: 'The key was already replaced. Rotate the key that replaced it.',
}

function rotateRoute(app: TypedApp, deps: ChangeDeps): void {
  handle(app, docs.rotate, async (request, reply) => {
    const { workspaceId, operator, params, body } = request
    const issued = await change(deps, request, async (tx, now) => {
      const { overlap_seconds = DEFAULT_OVERLAP_S } = body
      const rotation = {
        overlapUntil: new Date(now.getTime() + overlap_seconds * 1_000),
        expiresAt: futureTime(body.expires_at, now),
        issuer: await findResponsibleOperator(tx, operator.id),
      }
      const rotated = await rotateKey(tx, workspaceId, params.id, rotation, now)
      if (rotated.ok) {
        const fields = ['expires_at', 'replaced_by']
        return { value: rotated.issued, action: 'key.rotate', id: params.id, fields, announce: [KEYS_TOPIC, params.id] }
      }
      if (rotated.reason === 'not_found') throw notFound('key')
      throw new GatehouseError('CONFLICT', { message: NOT_ROTATED[rotated.reason], details: { reason: rotated.reason } })
    })
    return reply.status(201).send({ key: issued.key, ...apiKeyView(issued) })
  })
}

/** Throws a 400 for a time that has passed. */
function futureTime(text: string | undefined, now: Date): Date | undefined {
  if (text === undefined) return undefined
  const time = parseTime(text)
  if (!time || time <= now) throw invalid({ param: 'expires_at', message: 'must be a date-time in the future' })
  return time
}
