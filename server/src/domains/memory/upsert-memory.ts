import type { Tx } from '../../platform/db/database.ts'
import type { RowOf } from '../../platform/db/from-row.ts'
import { uuidOf } from '../../platform/db/values.ts'
import { toId } from '../../platform/lib/id.ts'
import { type Classification, classificationRank, stricterClassification } from '../../shared/classification.ts'
import { upTo } from '../../shared/viewer.ts'
import { addEntries, removeEntries } from '../retrieval/entries.ts'
import { normalizeContent, signatureText } from './duplicate-text.ts'
import { removeMemories } from './erase.ts'
import type { MemoryDraft } from './memory.ts'
import { memoryEntry } from './memory-row.ts'
import { type LockedOwner, openMemoryPartition } from './owner-store.ts'
import { isSameSubject, replaceableKinds } from './subject.ts'

/** Hashes under the Workspace's keys: all that stored rows may have for a text, starting with the current one. */
export interface Hasher {
  text(of: 'same memory', text: string): string
}

export interface Stored {
  /** `mem_…`: id of the draft, or of its stored duplicate. */
  readonly id: string
  readonly outcome: 'stored' | 'duplicate' | 'superseded'
}

/** A draft whose owner is locked. */
interface OwnedDraft extends Omit<MemoryDraft, 'scopeId' | 'subject'> {
  /** `app_…` */
  readonly applicationId: string
  /** In the form of `subjectKey`. */
  readonly subject: string | null
  /** The Application, a model or an operator stated it; false: it is that of the statement itself. */
  readonly isSubjectStated: boolean
  /** It replaces only memories up to this classification. */
  readonly ceiling: Classification
  /** UUID of the memory that it corrects. */
  readonly corrects?: string
}

type Row = RowOf<'memory_item'>

/**
 * Stores a memory of a locked owner. A duplicate is not stored: the stored memory stays, with the stricter labels and the later
 * expiry of the two. An active memory replaces active ones about the same subject.
 */
export async function upsertMemory(tx: Tx, owner: LockedOwner, draft: OwnedDraft, hasher: Hasher, now: Date): Promise<Stored> {
  const hashes = {
    content: hasher.text('same memory', normalizeContent(draft.content)),
    signature: hasher.text('same memory', signatureText(draft.content)),
  }
  const related = await findRelated(tx, owner, draft, hashes)
  const isExpired = ({ expires_at }: Row) => expires_at !== null && expires_at <= now
  const expired = related.filter(isExpired).map(({ id }) => id)
  await removeMemories(tx, owner, expired)

  const current = related.filter((row) => !isExpired(row))
  const duplicate = current.find((row) => row.id !== draft.corrects && isDuplicate(row, draft, hashes))
  const row = duplicate ? await merge(tx, owner, duplicate, draft) : await insert(tx, owner, draft, hashes, now)
  const replaced = current.filter((other) => other.id !== row.id && isReplaced(other, row, draft)).map(({ id }) => id)
  await supersede(tx, owner, replaced, row.id, now)
  if (row.mode === 'active' && row.partition_id === null) await addToIndex(tx, owner, row)
  const outcome = duplicate ? 'duplicate' : replaced.length > 0 ? 'superseded' : 'stored'
  return { id: toId('mem', row.id), outcome }
}

type Hashes = { readonly content: string; readonly signature: string }

/** The owner's duplicates first, then memories about the same subject; active before audit_only, older before newer. */
async function findRelated(tx: Tx, owner: LockedOwner, draft: OwnedDraft, hashes: Hashes): Promise<Row[]> {
  const rows = await tx
    .selectFrom('memory_item')
    .selectAll()
    .where('workspace_id', '=', owner.workspace)
    .where('owner_id', '=', owner.id)
    .where('superseded_at', 'is', null)
    .where((row) =>
      row.or([
        row('content_hash', '=', hashes.content),
        row('signature', '=', hashes.signature),
        ...(draft.subject === null ? [] : [row('subject', '=', draft.subject)]),
        ...(draft.corrects === undefined ? [] : [row('id', '=', draft.corrects)]),
      ]),
    )
    .orderBy('id')
    .execute()
  const order = ({ content_hash, mode }: Row) => (hashes.content === content_hash ? 0 : 2) + (mode === 'active' ? 0 : 1)
  return rows.toSorted((a, b) => order(a) - order(b))
}

const isDuplicate = (row: Row, draft: OwnedDraft, { content, signature }: Hashes): boolean =>
  content === row.content_hash || (signature === row.signature && row.kind === draft.kind)

/** Only active memories replace others, and only memories within the viewer's clearance. */
const isReplaced = (other: Row, row: Row, draft: OwnedDraft): boolean =>
  other.id === draft.corrects ||
  (row.mode === 'active' &&
    other.mode === 'active' &&
    row.subject !== null &&
    other.subject === row.subject &&
    isSameSubject(draft, other, draft.scope) &&
    replaceableKinds(row.kind).some((kind) => kind === other.kind) &&
    upTo(draft.ceiling).some((classification) => classification === other.classification))

async function insert(tx: Tx, owner: LockedOwner, draft: OwnedDraft, hashes: Hashes, now: Date): Promise<Row> {
  const { kind, content, summary, subject, classification, mode, source } = draft
  return tx
    .insertInto('memory_item')
    .values({
      ...{ kind, content, summary, subject, classification, mode, source },
      id: uuidOf('mem', draft.id),
      workspace_id: owner.workspace,
      owner_id: owner.id,
      application_id: uuidOf('app', draft.applicationId),
      regulations: JSON.stringify([...new Set(draft.regulations)]),
      content_hash: hashes.content,
      signature: hashes.signature,
      audit_id: uuidOf('aud', draft.auditId),
      message_id: draft.messageId ?? null,
      created_at: now,
      expires_at: draft.expiresAt,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
}

const updateItems = (tx: Tx, { workspace, id }: LockedOwner, ids: readonly string[]) =>
  tx.updateTable('memory_item').where('workspace_id', '=', workspace).where('owner_id', '=', id).where('id', 'in', ids)

/** Merges a draft into its duplicate: stricter labels, later expiry, active if either is. Returns the updated row. */
async function merge(tx: Tx, owner: LockedOwner, row: Row, draft: OwnedDraft): Promise<Row> {
  // A viewer that may not see the memory must not change it.
  if (classificationRank(row.classification) > classificationRank(draft.ceiling)) return row
  const classification = stricterClassification(row.classification, draft.classification)
  const mode = row.mode === 'active' ? 'active' : draft.mode
  const summary = row.summary ?? draft.summary
  const isIndexCurrent = classification === row.classification && mode === row.mode && summary === row.summary
  if (!isIndexCurrent && row.partition_id !== null) await removeEntries(tx, [row.id])
  return updateItems(tx, owner, [row.id])
    .set({
      classification,
      mode,
      summary,
      regulations: JSON.stringify([...new Set([...row.regulations, ...draft.regulations])]),
      expires_at: later(row.expires_at, draft.expiresAt),
      ...(!isIndexCurrent && { partition_id: null }),
    })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** null: never expires. */
const later = (a: Date | null, b: Date | null): Date | null => (a === null || b === null ? null : a > b ? a : b)

/** Turns memories into history: kept, but no longer searchable. */
async function supersede(tx: Tx, owner: LockedOwner, ids: readonly string[], by: string, now: Date): Promise<void> {
  if (ids.length === 0) return
  await updateItems(tx, owner, ids).set({ superseded_by: by, superseded_at: now, partition_id: null }).execute()
  await removeEntries(tx, ids)
}

async function addToIndex(tx: Tx, owner: LockedOwner, row: Row): Promise<void> {
  const partition = await openMemoryPartition(tx, owner, row.classification)
  await updateItems(tx, owner, [row.id]).set({ partition_id: partition.id }).execute()
  await addEntries(tx, partition, [memoryEntry(row)])
}
