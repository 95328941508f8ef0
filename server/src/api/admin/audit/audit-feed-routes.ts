import { setTimeout as sleep } from 'node:timers/promises'
import { Type } from 'typebox'
import { formatCursor, parseCursor } from '../../../domains/audit/feed/cursor.ts'
import { FEED_FORMATS, formatRecord } from '../../../domains/audit/feed/ocsf.ts'
import { LogRewoundError, readFeed } from '../../../domains/audit/feed/read-feed.ts'
import { GatehouseError } from '../../../errors.ts'
import { elapsed } from '../../../platform/lib/clock.ts'
import { oneOf } from '../../../platform/lib/fields.ts'
import { type Access, scopesIn, workspacesWith } from '../../../shared/access.ts'
import { forbidden, invalid } from '../../../shared/request-errors.ts'
import { VERSION } from '../../../version.ts'
import { handle, type TypedApp } from '../../kit/route.ts'
import type { AdminDeps } from '../admin-deps.ts'
import { operation } from '../kit/operation.ts'
import { operatorOf, resolveWorkspace } from '../kit/operator-access.ts'

const DEFAULT_LIMIT = 100
const MAX_LIMIT = 1_000
const MAX_WAIT_SECONDS = 30
const POLL_MS = 500

const Feed = Type.Object({
  object: Type.Literal('audit_feed'),
  format: oneOf(FEED_FORMATS, 'FeedFormat'),
  data: Type.Array(Type.Any(), { description: 'Audit records or OCSF events. Oldest first within each Workspace.' }),
  next: Type.String({ description: '`after` of the next request. Store it after the records are stored.' }),
  has_more: Type.Boolean(),
})

const SCOPE = 'audit:read'

const docs = operation('GET /audit/feed', 'readAuditFeed', 'Read audit records in order, from a cursor', {
  scope: SCOPE,
  reach: 'any',
  description:
    'For SIEM systems. A reader that stores `next` after each response gets every record of all Workspaces (those in which you have the scope) once, also across restarts.',
  query: {
    after: Type.Optional(
      Type.String({ maxLength: 12_000, description: '`next` of the previous response. Default: the oldest records.' }),
    ),
    format: Type.Optional(oneOf(FEED_FORMATS, 'FeedFormat')),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT })),
    wait: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: MAX_WAIT_SECONDS,
        default: 0,
        description: 'Seconds to wait for a record if there is none.',
      }),
    ),
    workspace: Type.Optional(
      Type.String({ maxLength: 200, description: 'Id or name of one Workspace. Default: all in which you have the scope.' }),
    ),
  },
  answers: { 200: Feed },
  errors: {
    404: 'NOT_FOUND: the Workspace',
    409: 'CONFLICT: the log went back behind `after`, for example because an older copy was restored',
  },
})

export function auditFeedRoutes(app: TypedApp, deps: AdminDeps): void {
  const { db, shutdown } = deps
  const readable = async (choice: string, access: Access): Promise<string> => {
    const id = await resolveWorkspace(db, choice, access)
    if (scopesIn(access, id).includes(SCOPE)) return id
    throw forbidden(`You need the scope ${SCOPE} in this Workspace.`)
  }

  handle(app, docs, async ({ query, socket, headers }) => {
    const { after, format = 'gatehouse', limit = DEFAULT_LIMIT, wait = 0, workspace } = query
    const position = after === undefined ? {} : parseCursor(after)
    if (position === undefined) throw invalid({ param: 'after', message: 'must be the next of a response of this feed' })
    // Asked for each page, because the operator's roles may change during the wait.
    const read = async () => {
      const { access } = await operatorOf(headers, deps)
      const workspaceIds = workspace === undefined ? workspacesWith(access, SCOPE) : [await readable(workspace, access)]
      return readFeed(db, position, { limit, workspaceIds }).catch(toConflict)
    }
    let page = await read()
    for (const until = elapsed() + wait * 1_000; page.records.length === 0; page = await read()) {
      if (elapsed() >= until || shutdown.stopping.aborted || socket.destroyed) break
      await sleep(POLL_MS, undefined, { signal: shutdown.stopping }).catch(() => {})
    }
    const data = page.records.map((record) => formatRecord(record, format, VERSION))
    return { object: 'audit_feed' as const, format, data, next: formatCursor(page.position), has_more: page.hasMore }
  })
}

function toConflict(cause: unknown): never {
  if (!(cause instanceof LogRewoundError)) throw cause
  throw new GatehouseError('CONFLICT', { message: `${cause.message}.`, param: 'after' }, cause)
}
