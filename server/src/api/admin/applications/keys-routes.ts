import { type Static, Type } from 'typebox'
import {
  type ApiKey,
  ApiKeyCreate,
  ApiKeyPatch,
  ApiKeyRotate,
  ApiKeyView,
  apiKeyView,
  DEFAULT_OVERLAP_S,
  IssuedApiKeyView,
} from '../../../domains/identity/api-key.ts'
import {
  findKey,
  issueKey,
  listKeys,
  type RotatedKey,
  revokeKey,
  rotateKey,
  updateKey,
} from '../../../domains/identity/api-key-store.ts'
import { findApplication, lockApplication } from '../../../domains/identity/application-store.ts'
import { KEYS_TOPIC } from '../../../domains/identity/authenticator.ts'
import { lockTeam } from '../../../domains/identity/team-store.ts'
import { findResponsibleOperator } from '../../../domains/operators/admin-token-store.ts'
import type { Tx } from '../../../platform/db/database.ts'
import { parseTime } from '../../../platform/lib/clock.ts'
import { Line } from '../../../platform/lib/fields.ts'
import { conflict, invalid, requireFound } from '../../../shared/request-errors.ts'
import type { TypedApp } from '../../kit/route.ts'
import type { ChangeDeps } from '../kit/change.ts'
import type { Asked, List, Outcome, Update } from '../kit/noun.ts'
import { resource } from '../kit/resource.ts'

const OF_APPLICATION = {
  path: '/applications/:id/keys',
  errors: { 404: 'NOT_FOUND: the Application, or the Workspace' },
} as const
const ISSUED = { view: IssuedApiKeyView, fields: ({ key }: ApiKey & { readonly key: string }) => ({ key }) }

const FILTER = {
  team_id: Type.Optional(Type.String({ ...Line, description: 'Only keys of this team.' })),
  tag: Type.Optional(Type.String({ ...Line, description: 'Only keys with this tag.' })),
}

const LIST: List<ApiKey, typeof FILTER> = {
  ...OF_APPLICATION,
  summary: "List an Application's keys, including revoked keys, oldest first",
  query: FILTER,
  read: async (db, workspaceId, page, { params, query }) => {
    requireFound(await findApplication(db, workspaceId, params.id), 'Application')
    return listKeys(db, { workspaceId, applicationId: params.id }, page, query)
  },
}

const UPDATE: Update<ApiKey, typeof ApiKeyPatch> = {
  summary: 'Change the name, team, limits, models, tags or metadata of a key',
  description:
    'Missing fields stay unchanged. null resets a field. `limits` are merged field by field, lists and `metadata` are replaced. Limits and models apply in addition to those of the Application, within a second on all nodes.',
  body: ApiKeyPatch,
  write: async (tx, { workspaceId, params, body }) => {
    await requireTeam(tx, workspaceId, body.team_id)
    return updateKey(tx, workspaceId, params.id, body)
  },
}

export function keysRoutes(app: TypedApp, deps: ChangeDeps): void {
  const addAction = resource(app, deps, {
    noun: 'key',
    path: '/keys',
    area: 'applications',
    view: ApiKeyView,
    show: (rows: readonly ApiKey[]) => rows.map(apiKeyView),
    announce: (id) => [KEYS_TOPIC, id],
    list: LIST,
    get: { summary: 'Get a key without its secret: whether and when it was used', find: findKey },
    create: {
      ...OF_APPLICATION,
      errors: { ...OF_APPLICATION.errors, 409: 'CONFLICT: the Application is archived' },
      verb: 'issue',
      summary: 'Issue a key. Only this response contains it',
      description: 'The operator who issues a key cannot decide on its requests.',
      body: ApiKeyCreate,
      extra: ISSUED,
      write: async (tx, { workspaceId, operator, params, body }, now) => {
        await refuseArchived(tx, workspaceId, params.id)
        const teamId = await requireTeam(tx, workspaceId, body.team_id)
        const issuer = await findResponsibleOperator(tx, operator.id)
        const expiresAt = futureTime(body.expires_at, now) ?? null
        const options = { issuer, expiresAt, fields: { ...body, teamId } }
        const issued = await issueKey(tx, { workspaceId, applicationId: params.id }, body.name, now, options)
        return requireFound(issued, 'Application')
      },
    },
    update: UPDATE,
  })

  addAction({
    verb: 'rotate',
    summary: 'Replace a key: issue a new key, and let the old one expire',
    description:
      'Both keys are valid during the overlap. A key can be replaced once. The operator cannot decide on requests of the new key.',
    errors: { 409: 'CONFLICT: the key is revoked, expired or already replaced' },
    body: ApiKeyRotate,
    fields: ['expires_at', 'replaced_by'],
    extra: ISSUED,
    write: rotate,
  })

  addAction({
    verb: 'revoke',
    summary: 'Revoke a key: immediately on this node, within a second on all others',
    description: 'Revoking a revoked key changes nothing.',
    fields: ['revoked_at'],
    write: (tx, { workspaceId, params }, now) => revokeKey(tx, workspaceId, params.id, now),
  })
}

async function requireTeam(tx: Tx, workspaceId: string, id: string | null | undefined): Promise<string | null> {
  if (id === undefined || id === null) return null
  if (!(await lockTeam(tx, workspaceId, id)))
    throw invalid({ param: 'team_id', message: 'must be the id of a team of this Workspace' })
  return id
}

async function refuseArchived(tx: Tx, workspaceId: string, id: string): Promise<void> {
  const application = await lockApplication(tx, workspaceId, id)
  if (application?.archivedAt) throw conflict('The Application is archived. Restore it before you create a key.')
}

const NOT_ROTATED: Readonly<Record<Exclude<Extract<RotatedKey, { ok: false }>['reason'], 'not_found'>, string>> = {
  revoked: 'The key is revoked. Create a new key instead.',
  expired: 'The key has expired. Create a new key instead.',
  replaced: 'The key was already replaced. Rotate the key that replaced it.',
}

async function rotate(
  tx: Tx,
  { workspaceId, operator, params, body }: Asked<Static<typeof ApiKeyRotate>>,
  now: Date,
): Promise<Outcome<ApiKey & { readonly key: string }>> {
  const { overlap_seconds = DEFAULT_OVERLAP_S } = body
  const rotation = {
    overlapUntil: new Date(now.getTime() + overlap_seconds * 1_000),
    expiresAt: futureTime(body.expires_at, now),
    issuer: await findResponsibleOperator(tx, operator.id),
  }
  const rotated = await rotateKey(tx, workspaceId, params.id, rotation, now)
  if (rotated.ok) return { made: rotated.issued, id: params.id }
  if (rotated.reason === 'not_found') return undefined
  throw conflict(NOT_ROTATED[rotated.reason], { details: { reason: rotated.reason } })
}

function futureTime(text: string | undefined, now: Date): Date | undefined {
  if (text === undefined) return undefined
  const time = parseTime(text)
  if (!time || time <= now) throw invalid({ param: 'expires_at', message: 'must be a date-time in the future' })
  return time
}
