import { Type } from 'typebox'
import type { KnowledgeSource, SourcePatch as SourceChange } from '../../../domains/knowledge/source.ts'
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
import { conflict, invalid, requireFound } from '../../../shared/request-errors.ts'
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
        'The files of the source become documents of the collection, at once and then every `interval_minutes`: new and changed files are read, and documents of files that are gone are deleted. If more than 20 % of the files are missing, no document is deleted and the source has the failure `deletion_refused`. Names that begin with a dot are skipped.',
      body: SourceCreate,
      errors: { 404: 'NOT_FOUND: the collection, or the Workspace' },
      write: async (tx, { workspaceId, body }, now) => {
        const { collection_id, name, kind, ...settings } = body
        const create = { name, kind, url: body.url, ...changeOf(settings, deps) }
        if (kind === 's3' && settings.secret && !settings.username)
          throw invalid({ param: 'username', message: 'must be the access key id' })
        const created = await createSource(tx, workspaceId, collection_id, create, { box, now })
        if (created === 'name_taken') return { ok: false as const, reason: created }
        return requireFound(created, 'collection')
      },
    },
    update: {
      summary: 'Change a source of knowledge',
      description: 'Missing fields stay unchanged. After a change of the place all files are read again.',
      body: SourcePatch,
      write: async (tx, { workspaceId, params, body }, now) => {
        await requireSecret(tx, workspaceId, params.id, body)
        return updateSource(tx, workspaceId, params.id, changeOf(body, deps), { box, now })
      },
    },
    remove: {
      description: 'Its documents stay. Delete them by `source`.',
      remove: deleteSource,
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

/** The settings of a request in their stored form. Throws a 400. */
function changeOf(
  { interval_minutes: intervalMinutes, folder, ...settings }: SourcePatch,
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
  }
}

/** The secret is sealed for the origin of its URL, so that a changed URL does not send it to another server. */
async function requireSecret(tx: Tx, workspaceId: string, id: string, { url, secret }: SourcePatch): Promise<void> {
  const stored = await findSource(tx, workspaceId, id)
  if (!stored?.hasSecret || url === undefined || secret !== undefined) return
  if (URL.parse(url)?.origin !== URL.parse(stored.url)?.origin)
    throw invalid({ param: 'secret', message: 'must be given again, because the URL has another origin' })
}
