import { Type } from 'typebox'
import { parseLabels } from '../../../domains/knowledge/label-fields.ts'
import { type KnowledgeSource, type SourcePatch as SourceChange, secretProblem } from '../../../domains/knowledge/source.ts'
import {
  createSource,
  deleteSource,
  findSource,
  listSources,
  requestSync,
  updateSource,
} from '../../../domains/knowledge/source-store.ts'
import type { Tx } from '../../../platform/db/database.ts'
import { findUrlProblem } from '../../../platform/lib/url-guard.ts'
import { conflict, invalid, requireFound, valid } from '../../../shared/request-errors.ts'
import type { TypedApp } from '../../kit/route.ts'
import type { AdminDeps } from '../admin-deps.ts'
import { resource } from '../kit/resource.ts'
import { SourceCreate, SourcePatch, SourceView, SyncRequest, sourceView } from './source-shapes.ts'

const COLLECTION_QUERY = { collection: Type.Optional(Type.String({ maxLength: 200, description: 'Id of a collection.' })) }

export function sourcesRoutes(app: TypedApp, deps: AdminDeps): void {
  const { sourceBox: box } = deps
  const addAction = resource(app, deps, {
    noun: 'knowledge_source',
    path: '/knowledge/sources',
    area: 'knowledge',
    view: SourceView,
    show: (rows: readonly KnowledgeSource[]) => rows.map(sourceView),
    taken: { name: 'Source name' },
    changed: () => deps.sources.wake(),
    list: {
      query: COLLECTION_QUERY,
      read: (db, workspaceId, page, { query }) => listSources(db, workspaceId, { ...page, collectionId: query.collection }),
    },
    get: { find: findSource },
    create: {
      description:
        'The files of the source become documents of the collection, at once and then every `interval_minutes`: new and changed files are read, and documents of files that are gone are deleted. If more than 20 % of the files are missing, no document is deleted and the source has the failure `deletion_refused`. Names that begin with a dot are skipped. With `acl` all its documents have this access list.',
      body: SourceCreate,
      errors: { 404: 'NOT_FOUND: the collection, or the Workspace' },
      write: (tx, { workspaceId, body }, now) => create(deps, tx, workspaceId, body, now),
    },
    update: {
      summary: 'Change a source of knowledge',
      description:
        'Missing fields stay unchanged. After a change of the place all files are read again. A changed `acl` applies from the next search on. `relabelling` is true until all documents have it; no file is read again for it.',
      body: SourcePatch,
      write: async (tx, { workspaceId, params, body }, now) => {
        await requireSecret(tx, workspaceId, params.id, body)
        return updateSource(tx, workspaceId, params.id, changeOf(body, deps), { box, now })
      },
    },
    remove: {
      description: 'Its documents stay, with its access list. Delete them by `source`.',
      errors: { 409: 'CONFLICT: documents still get a changed access list' },
      remove,
    },
  })

  addAction({
    verb: 'sync',
    summary: 'Synchronise a source of knowledge now',
    description: 'The run begins within seconds. `last_sync` and `failure` of the source show its result.',
    body: SyncRequest,
    errors: { 409: 'CONFLICT: the source is disabled' },
    write: async (tx, { workspaceId, params, body }, now) => {
      const source = await findSource(tx, workspaceId, params.id)
      if (source && !source.enabled) throw conflict('The source is disabled. Enable it first.')
      return requestSync(tx, workspaceId, params.id, { force: body.force === true, now })
    },
  })
}

async function create(deps: AdminDeps, tx: Tx, workspaceId: string, body: SourceCreate, now: Date) {
  const { collection_id: collectionId, name, kind, ...settings } = body
  const source = { name, kind, url: body.url, ...changeOf(settings, deps) }
  if (settings.secret) requireSafeUrl(body.url)
  if (kind === 's3' && settings.secret && !settings.username)
    throw invalid({ param: 'username', message: 'must be the access key id' })
  const created = await createSource(tx, workspaceId, collectionId, source, { box: deps.sourceBox, now })
  if (created === 'name_taken') return { ok: false as const, reason: created }
  return requireFound(created, 'collection')
}

async function remove(tx: Tx, workspaceId: string, id: string): Promise<boolean> {
  if ((await findSource(tx, workspaceId, id))?.relabelling)
    throw conflict(
      'The documents still get the changed access list of the source. Delete the source when `relabelling` is false.',
    )
  return deleteSource(tx, workspaceId, id)
}

/** The settings of a request in their stored form. Throws a 400. */
function changeOf(
  { interval_minutes: intervalMinutes, folder, acl, ...settings }: SourcePatch,
  { config: { allowPrivateUrls } }: AdminDeps,
): SourceChange {
  const { url } = settings
  const problem = url === undefined ? undefined : findUrlProblem(url, allowPrivateUrls)
  if (problem !== undefined) throw invalid({ param: 'url', message: problem })
  return {
    ...settings,
    ...(url !== undefined && { url: url.replace(/\/$/, '') }),
    ...(folder !== undefined && { folder: folder === '' ? '' : `${folder.replace(/^\/|\/$/g, '')}/` }),
    ...(intervalMinutes !== undefined && { intervalMinutes }),
    ...valid(parseLabels({ acl })),
  }
}

/** Throws a 400 for a URL to which no secret can be sent. */
function requireSafeUrl(url: string): void {
  const problem = secretProblem(url)
  if (problem !== undefined) throw invalid({ param: 'url', message: problem })
}

/** The secret is sealed for the origin of its URL, so that a changed URL does not send it to another server. */
async function requireSecret(tx: Tx, workspaceId: string, id: string, { url, secret }: SourcePatch): Promise<void> {
  const stored = await findSource(tx, workspaceId, id)
  if (!stored || secret === null || (secret === undefined && !stored.hasSecret)) return
  if (url !== undefined || secret !== undefined) requireSafeUrl(url ?? stored.url)
  if (secret === undefined && url !== undefined && URL.parse(url)?.origin !== URL.parse(stored.url)?.origin)
    throw invalid({ param: 'secret', message: 'must be given again, because the URL has another origin' })
}
