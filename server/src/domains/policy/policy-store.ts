import type { Db, Tx } from '../../platform/db/database.ts'
import { type Entity, fromRow, type RowOf } from '../../platform/db/from-row.ts'
import { type Page, type PageRequest, pageById } from '../../platform/db/page.ts'
import type { Schema } from '../../platform/db/schema.ts'
import { uuidOfWorkspace, uuidOrNull } from '../../platform/db/values.ts'
import { fromId, newUuid, toId } from '../../platform/lib/id.ts'
import { announce } from '../../platform/queue/outbox.ts'

export interface PolicySetVersion extends Entity<'policy_set', Exclude<keyof Schema['policy_set'], 'workspace_id' | 'source'>> {
  readonly active: boolean
  /** Whether the document is the one in the configuration file; null: the file has no policy set. */
  readonly declared: boolean | null
}

export interface StoredPolicySet extends PolicySetVersion {
  readonly source: string
}

/** Locks the policies of the Workspace until the transaction ends. Returns the active version; undefined: the Workspace has none. */
export async function lockActivePolicySet(tx: Tx, workspaceId: string): Promise<StoredPolicySet | undefined> {
  // FOR UPDATE would block every insert that refers to the Workspace, such as audit records (decision 0005).
  await tx
    .selectFrom('workspace')
    .select('id')
    .where('id', '=', uuidOfWorkspace(workspaceId))
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow()
  return await findActivePolicySet(tx, workspaceId)
}

export interface NewVersion extends Pick<StoredPolicySet, 'name' | 'source' | 'sha256' | 'publishedBy'> {
  readonly note?: string | undefined
  /** The document is that of an earlier version. */
  readonly rolledBack?: boolean
  readonly now: Date
}

/** Publications wait for the lock of the Workspace, so its versions have no gaps, whatever their names, and the last published one is active. */
export async function publishPolicySet(
  tx: Tx,
  workspaceId: string,
  { name, source, sha256, publishedBy, note = '', rolledBack = false, now }: NewVersion,
): Promise<PolicySetVersion> {
  const workspace = uuidOfWorkspace(workspaceId)
  await lockActivePolicySet(tx, workspaceId)
  const { last, count } = await tx
    .selectFrom('policy_set')
    .select((of) => [of.fn.max('version').as('last'), of.fn.countAll<string>().as('count')])
    .where('workspace_id', '=', workspace)
    .executeTakeFirstOrThrow()
  // Earlier releases numbered the versions of each name, so the highest number can be below the count.
  const version = Math.max(last ?? 0, Number(count)) + 1
  const id = newUuid()
  await tx
    .insertInto('policy_set')
    .values({ id, workspace_id: workspace, name, version, sha256, source, published_by: publishedBy, note, created_at: now })
    .execute()
  await tx.updateTable('workspace').set({ active_policy_id: id }).where('id', '=', workspace).execute()
  const row = await versions(tx, workspaceId).where('policy_set.id', '=', id).executeTakeFirstOrThrow()
  const set = toVersion(row)
  await announceVersion(tx, workspaceId, set, { by: publishedBy, rolledBack })
  return set
}

const announceVersion = (
  tx: Tx,
  workspaceId: string,
  { id, name, version, sha256 }: PolicySetVersion,
  { by, rolledBack }: { readonly by: string; readonly rolledBack: boolean },
): Promise<void> => {
  const payload = { id, object: 'policy_set' as const, name, version, sha256, rolled_back: rolledBack, published_by: by }
  return announce(tx, workspaceId, 'policy.published', payload)
}

/** Activates a stored version again. `by`: id of the operator. False if the Workspace has no such version. */
export async function activatePolicySet(tx: Tx, workspaceId: string, id: string, by: string): Promise<boolean> {
  const uuid = fromId('pol', id)
  if (uuid === undefined) return false
  const { numUpdatedRows } = await tx
    .updateTable('workspace')
    .set({ active_policy_id: uuid })
    .where('id', '=', uuidOfWorkspace(workspaceId))
    .where((of) =>
      of.exists(of.selectFrom('policy_set').select('id').where('id', '=', uuid).whereRef('workspace_id', '=', 'workspace.id')),
    )
    .executeTakeFirst()
  const set = numUpdatedRows > 0n && (await findPolicySet(tx, workspaceId, id))
  if (set) await announceVersion(tx, workspaceId, set, { by, rolledBack: true })
  return set !== false
}

/** Newest first. Undefined if `page.after` is not an id. */
export const listPolicySets = (db: Db, workspaceId: string, page: PageRequest): Promise<Page<PolicySetVersion> | undefined> =>
  pageById(versions(db, workspaceId), 'pol', page, toVersion, { column: 'policy_set.id', order: 'desc' })

export const findPolicySet = async (db: Db, workspaceId: string, id: string): Promise<StoredPolicySet | undefined> =>
  toStored(await versions(db, workspaceId).select('source').where('policy_set.id', '=', uuidOrNull('pol', id)).executeTakeFirst())

export const findActivePolicySet = async (db: Db, workspaceId: string): Promise<StoredPolicySet | undefined> =>
  toStored(await versions(db, workspaceId).select('source').whereRef('policy_set.id', '=', 'active_policy_id').executeTakeFirst())

/** The newest version of a document. */
export async function findVersionOf(db: Db, workspaceId: string, sha256: string) {
  const row = await versions(db, workspaceId)
    .where('policy_set.sha256', '=', sha256)
    .orderBy('policy_set.id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row && { id: toId('pol', row.id), version: row.version }
}

/** The id alone, so that a cache can check cheaply whether the active version changed. */
export async function findActivePolicyId(db: Db, workspaceId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('workspace')
    .select('active_policy_id')
    .where('id', '=', uuidOfWorkspace(workspaceId))
    .executeTakeFirst()
  return row?.active_policy_id ? toId('pol', row.active_policy_id) : undefined
}

const versions = (db: Db, workspaceId: string) =>
  db
    .selectFrom('policy_set')
    .innerJoin('workspace', 'workspace.id', 'policy_set.workspace_id')
    .leftJoin('applied_declaration as declaration', (join) =>
      join.onRef('declaration.workspace_id', '=', 'workspace.id').on('declaration.object', '=', 'policy_set'),
    )
    .where('workspace.id', '=', uuidOfWorkspace(workspaceId))
    .select([
      'policy_set.id',
      'policy_set.name',
      'policy_set.version',
      'policy_set.sha256',
      'policy_set.published_by',
      'policy_set.note',
      'policy_set.created_at',
      'workspace.active_policy_id',
      'declaration.hash as declared_sha256',
    ])

type Row = Omit<RowOf<'policy_set'>, 'workspace_id' | 'source'> & {
  readonly active_policy_id: string | null
  readonly declared_sha256: string | null
}

const toVersion = ({ active_policy_id, declared_sha256, ...row }: Row): PolicySetVersion => ({
  ...fromRow(row),
  id: toId('pol', row.id),
  active: row.id === active_policy_id,
  declared: declared_sha256 === null ? null : row.sha256 === declared_sha256,
})

const toStored = (row: (Row & { source: string }) | undefined): StoredPolicySet | undefined =>
  row && { ...toVersion(row), source: row.source }
