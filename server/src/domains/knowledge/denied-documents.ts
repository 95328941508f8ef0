import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import { uuidOfWorkspace } from '../../platform/db/values.ts'
import { toId } from '../../platform/lib/id.ts'
import type { HitLabels, LabelJudge } from '../../shared/labels.ts'
import { deniedEntries, withoutEntries } from '../retrieval/denied-entries.ts'
import { EntryMask } from '../retrieval/entry-filter.ts'
import { readScope } from '../retrieval/scope.ts'
import { effectiveRegulations } from './labels.ts'
import type { LabelledPartition } from './partitions.ts'

export type HitJudge = LabelJudge<HitLabels>

/** Labels that documents of one partition share; all others are read for each of its visible documents. */
const SHARED = ['classification', 'collection'] as const satisfies readonly (keyof HitLabels)[]
/** Labels that differ from document to document. Few documents have regulations of their own. */
const SINGLE = ['title', 'document', 'updatedAt'] as const satisfies readonly (keyof HitLabels)[]

const UNREAD = { regulations: [], title: '', document: '', updatedAt: new Date(0) }

/** The partitions without the documents that the judge denies, as if these did not exist. */
export async function withoutDenied(
  db: Db,
  workspaceId: string,
  partitions: readonly LabelledPartition[],
  judge: HitJudge,
): Promise<readonly LabelledPartition[]> {
  const ofPartition = ({ classification, collection: { name } }: LabelledPartition) => ({ classification, collection: name })
  if ([...judge.reads].every((label) => SHARED.some((name) => name === label))) {
    return partitions.filter((partition) => !judge.denies({ ...UNREAD, ...ofPartition(partition) }))
  }
  const byId = new Map(partitions.map((partition) => [partition.id, partition]))
  const denied: LabelRow[] = []
  for (const row of await readLabels(db, workspaceId, partitions, judge)) {
    await judge.pause()
    const partition = byId.get(row.partition_id)
    if (!partition) continue
    const { id, title, updated_at: updatedAt } = row
    const single =
      id === undefined ? UNREAD : { document: toId('doc', id), title: title ?? '', updatedAt: updatedAt ?? new Date(0) }
    const regulations = effectiveRegulations(partition.collection, { regulations: row.regulations }, { regulations: row.limits })
    if (judge.denies({ ...UNREAD, ...ofPartition(partition), ...single, regulations })) denied.push(row)
  }
  return denied.length === 0 ? partitions : withoutEntries(partitions, await deniedEntries(db, chunksOf(denied, workspaceId)))
}

interface LabelRow {
  readonly partition_id: number
  readonly regulations: readonly string[]
  /** Regulations of the front matter. */
  readonly limits: readonly string[]
  /** Absent if the decision depends on regulations only. */
  readonly id?: string
  readonly title?: string
  readonly updated_at?: Date
}

/** The distinct labels of the visible documents. */
async function readLabels(
  db: Db,
  workspaceId: string,
  partitions: readonly LabelledPartition[],
  { reads }: HitJudge,
): Promise<readonly LabelRow[]> {
  const workspace = uuidOfWorkspace(workspaceId)
  const whole = partitions.filter(({ filter }) => !filter).map(({ id }) => id)
  const shared = partitions.filter(({ filter }) => filter)
  const masks = shared.length === 0 ? [] : [...(await readScope(db, workspace, shared)).masks]
  const seen = masks.flatMap(([partition, mask]) =>
    mask instanceof EntryMask ? [...mask.numbers()].map((number) => ({ partition, number })) : [],
  )
  const single = SINGLE.some((label) => reads.has(label)) ? sql`, id, title, updated_at` : sql``
  const { rows } = await sql<LabelRow>`
    select distinct partition_id, regulations, limits -> 'regulations' as limits ${single} from knowledge_document
    where workspace_id = ${workspace} and (partition_id = any(${whole}::bigint[]) or id in (
      select chunk.document_id from unnest(
        ${seen.map(({ partition }) => partition)}::bigint[], ${seen.map(({ number }) => number)}::bigint[]
      ) as seen (partition_id, number) join retrieval_entry entry using (partition_id, number)
      join knowledge_chunk chunk on chunk.id = entry.id where chunk.workspace_id = ${workspace}))`.execute(db)
  return rows
}

/** The ids of the chunks of documents with these labels. */
function chunksOf(denied: readonly LabelRow[], workspaceId: string) {
  const workspace = uuidOfWorkspace(workspaceId)
  const ids = denied.flatMap(({ id }) => id ?? [])
  if (ids.length > 0) {
    return sql`select id from knowledge_chunk where workspace_id = ${workspace} and document_id = any(${ids}::uuid[])`
  }
  return sql`
    select chunk.id from knowledge_document document join unnest(
      ${denied.map(({ partition_id }) => partition_id)}::bigint[],
      ${denied.map(({ regulations }) => JSON.stringify(regulations))}::jsonb[],
      ${denied.map(({ limits }) => JSON.stringify(limits))}::jsonb[]
    ) as denied (partition_id, regulations, limits)
      on document.partition_id = denied.partition_id and document.regulations = denied.regulations
        and document.limits -> 'regulations' = denied.limits
    join knowledge_chunk chunk on chunk.document_id = document.id and chunk.partition_id = document.partition_id
    where document.workspace_id = ${workspace} and chunk.workspace_id = ${workspace}`
}
