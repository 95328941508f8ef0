import type { Entity } from '../../platform/db/from-row.ts'
import { isLoopback } from '../../platform/lib/url-guard.ts'

export const SOURCE_KINDS = ['git', 's3'] as const
export type SourceKind = (typeof SOURCE_KINDS)[number]

export const SYNC_COUNTS = ['added', 'changed', 'relabelled', 'unchanged', 'failed', 'deleted'] as const
export type SyncCounts = Record<(typeof SYNC_COUNTS)[number], number>

/** The last run, also one that failed before its end. */
export interface SyncResult extends Readonly<SyncCounts> {
  /** When it ended, in the form of `Date.toISOString`. */
  readonly at: string
}

export const SOURCE_COLUMNS = [
  ...(['id', 'workspace_id', 'collection_id', 'name', 'kind', 'url', 'folder', 'branch', 'region', 'username', 'link'] as const),
  ...(['acl', 'interval_minutes', 'enabled', 'next_sync_at', 'syncing_since', 'last_sync', 'failure'] as const),
  ...(['created_at', 'updated_at'] as const),
] as const

/** Where documents of a collection are copied from. Ids are TypeIDs (`src_…`). */
export interface KnowledgeSource extends Entity<'knowledge_source', (typeof SOURCE_COLUMNS)[number]> {
  readonly hasSecret: boolean
  /** Whether documents still have a former access list. */
  readonly relabelling: boolean
}

/** The place that files are read from. Its files are read again when it changes. */
export const PLACE_FIELDS = ['url', 'folder', 'branch', 'region', 'username', 'link'] as const
type Place = Pick<KnowledgeSource, (typeof PLACE_FIELDS)[number]>

type Settings = Place & Pick<KnowledgeSource, 'acl' | 'intervalMinutes' | 'enabled'> & { readonly secret: string | null }

/** Absent fields stay as they are. */
export type SourcePatch = Partial<Settings>

export const SOURCE_DEFAULTS: Omit<Settings, 'url'> = {
  ...{ folder: '', branch: null, region: null, username: null, link: null, acl: null, secret: null },
  ...{ intervalMinutes: 60, enabled: true },
}

export interface NewSource extends Omit<SourcePatch, 'url'>, Pick<KnowledgeSource, 'name' | 'kind' | 'url'> {}

/** A source that this node synchronises. */
export interface ClaimedSource extends KnowledgeSource {
  readonly forced: boolean
  readonly cursor: string | null
  readonly sealedSecret: Buffer | null
}

/** Why a secret cannot be sent to the URL; undefined: it can. */
export function secretProblem(url: string): string | undefined {
  const parsed = URL.parse(url)
  if (parsed?.protocol !== 'http:' || isLoopback(parsed)) return undefined
  return 'must begin with https://, because a secret that is sent over http:// can be read on the way. Enter the https:// address, or remove the secret if the source is public'
}

/** The key of the document of a file. Names have no slash, so two sources never share a key. */
export const keyOf = ({ name }: Pick<KnowledgeSource, 'name'>, path: string): string => `${name}/${path}`

/** `source` of the document of a file. */
export function linkOf({ url, folder, link }: Pick<KnowledgeSource, 'url' | 'folder' | 'link'>, path: string): string {
  const start = link ?? `${url.replace(/\.git$/, '')}/${folder}`
  return start + path
}

/** Whether a path below the folder is read. Names that begin with a dot are not, as in `gatehouse ingest`. */
export const isRead = (path: string): boolean =>
  path !== '' && path.split('/').every((name) => name !== '' && !name.startsWith('.'))
