import type { Selectable } from 'kysely'
import type { Tx } from '../db/database.ts'
import type { MemoryItemTable } from '../db/schema.ts'
import { type Classification, classificationRank, stricterClassification } from '../domain/classification.ts'
import { upTo } from '../domain/viewer.ts'
import { toId } from '../lib/id.ts'
import { addEntries, removeEntries } from '../retrieval/entries.ts'
import { removeMemories } from './erase.ts'
import type { MemoryDraft } from './memory.ts'
import { uuidOf } from './memory-row.ts'
import { type HeldOwner, partitionOf } from './owner-store.ts'
import { normalised, skeleton } from './sameness.ts'
import { replacedBy } from './subject.ts'

/** Of the Workspace: every hash under which rows may know a text, the one to write first. */
export interface Hasher {
  known(of: 'same memory', text: string): readonly string[]
}

export interface Stored {
  /** `mem_…`: the draft's, or of the memory that says the same. */
  readonly id: string
  readonly outcome: 'stored' | 'duplicate' | 'superseded'
}

/** A draft whose owner is held. */
export interface Placing extends Omit<MemoryDraft, 'scope' | 'scopeId' | 'subject'> {
  /** `app_…` */
  readonly applicationId: string
  /** As `subjectKey` writes it. */
  readonly subject: string | null
  /** The strictest classification of what it may take the place of. */
  readonly ceiling: Classification
  /** UUID of the memory that it corrects. */
  readonly corrects?: string
}

type Row = Selectable<MemoryItemTable>

/**
 * Stores a memory of a held owner, unless the owner has it already: then that one is kept, with the stricter labels and the later
 * expiry of the two. An active memory takes the place of active ones about the same subject.
 */
export async function placeMemory(tx: Tx, owner: HeldOwner, placing: Placing, hasher: Hasher, now: Date): Promise<Stored> {
  const hashes = {
    content: hasher.known('same memory', normalised(placing.content)),
    signature: hasher.known('same memory', skeleton(placing.content)),
  }
  const related = await relatives(tx, owner, placing, hashes)
  const isDue = ({ expires_at }: Row) => expires_at !== null && expires_at <= now
  const due = related.filter(isDue).map(({ id }) => id)
  await removeMemories(tx, owner, due)

  const current = related.filter((row) => !isDue(row))
  const duplicate = current.find((row) => row.id !== placing.corrects && isDuplicate(row, placing, hashes))
  const row = duplicate ? await merge(tx, owner, duplicate, placing) : await insert(tx, owner, placing, hashes, now)
  const replaced = current.filter((other) => other.id !== row.id && isReplaced(other, row, placing)).map(({ id }) => id)
  await supersede(tx, owner, replaced, row.id, now)
  if (row.mode === 'active' && row.partition_id === null) await makeFindable(tx, owner, row)
  const outcome = duplicate ? 'duplicate' : replaced.length > 0 ? 'superseded' : 'stored'
  return { id: toId('mem', row.id), outcome }
}

interface Hashes {
  readonly content: readonly string[]
  readonly signature: readonly string[]
}

/** The owner's memories that say the same, or something about the same. In that order; active before others, older before younger. */
async function relatives(tx: Tx, owner: HeldOwner, placing: Placing, hashes: Hashes): Promise<Row[]> {
  const rows = await tx
    .selectFrom('memory_item')
    .selectAll()
    .where('workspace_id', '=', owner.workspace)
    .where('owner_id', '=', owner.id)
    .where('superseded_at', 'is', null)
    .where((row) =>
      row.or([
        row('content_hash', 'in', hashes.content),
        row('signature', 'in', hashes.signature),
        ...(placing.subject === null ? [] : [row('subject', '=', placing.subject)]),
        ...(placing.corrects === undefined ? [] : [row('id', '=', placing.corrects)]),
      ]),
    )
    .orderBy('id')
    .execute()
  const order = ({ content_hash, mode }: Row) => (hashes.content.includes(content_hash) ? 0 : 2) + (mode === 'active' ? 0 : 1)
  return rows.toSorted((a, b) => order(a) - order(b))
}

const isDuplicate = (row: Row, { kind }: Placing, { content, signature }: Hashes): boolean =>
  content.includes(row.content_hash) || (signature.includes(row.signature) && row.kind === kind)

/** What nobody may find takes nobody's place, and a caller replaces nothing that is too sensitive for it. */
const isReplaced = (other: Row, row: Row, { ceiling, corrects }: Placing): boolean =>
  other.id === corrects ||
  (row.mode === 'active' &&
    other.mode === 'active' &&
    row.subject !== null &&
    other.subject === row.subject &&
    replacedBy(row.kind as MemoryDraft['kind']).some((kind) => kind === other.kind) &&
    upTo(ceiling).some((classification) => classification === other.classification))

async function insert(tx: Tx, owner: HeldOwner, placing: Placing, hashes: Hashes, now: Date): Promise<Row> {
  return tx
    .insertInto('memory_item')
    .values({
      id: uuidOf('mem', placing.id),
      workspace_id: owner.workspace,
      owner_id: owner.id,
      application_id: uuidOf('app', placing.applicationId),
      kind: placing.kind,
      content: placing.content,
      summary: placing.summary,
      subject: placing.subject,
      classification: placing.classification,
      regulations: JSON.stringify([...new Set(placing.regulations)]),
      content_hash: hashes.content[0] ?? '',
      signature: hashes.signature[0] ?? '',
      mode: placing.mode,
      source: placing.source,
      audit_id: uuidOf('aud', placing.auditId),
      message_id: placing.messageId ?? null,
      created_at: now,
      expires_at: placing.expiresAt,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** What is said again: the stricter labels, the later expiry, active if either is. Answers it as it then is. */
async function merge(tx: Tx, owner: HeldOwner, row: Row, draft: Placing): Promise<Row> {
  // Who may not see it does not change it either.
  if (classificationRank(row.classification as Classification) > classificationRank(draft.ceiling)) return row
  const classification = stricterClassification(row.classification as Classification, draft.classification)
  const mode = row.mode === 'active' ? 'active' : draft.mode
  const summary = row.summary ?? draft.summary
  const stays = classification === row.classification && mode === row.mode && summary === row.summary
  if (!stays && row.partition_id !== null) await removeEntries(tx, [row.id])
  return tx
    .updateTable('memory_item')
    .set({
      classification,
      mode,
      summary,
      regulations: JSON.stringify([...new Set([...row.regulations, ...draft.regulations])]),
      expires_at: later(row.expires_at, draft.expiresAt),
      ...(!stays && { partition_id: null }),
    })
    .where('workspace_id', '=', owner.workspace)
    .where('owner_id', '=', owner.id)
    .where('id', '=', row.id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** null: never. */
const later = (a: Date | null, b: Date | null): Date | null => (a === null || b === null ? null : a > b ? a : b)

/** Turns memories into history: kept, and no longer found. */
async function supersede(tx: Tx, owner: HeldOwner, ids: readonly string[], by: string, now: Date): Promise<void> {
  if (ids.length === 0) return
  await tx
    .updateTable('memory_item')
    .set({ superseded_by: by, superseded_at: now, partition_id: null })
    .where('workspace_id', '=', owner.workspace)
    .where('owner_id', '=', owner.id)
    .where('id', 'in', ids)
    .execute()
  await removeEntries(tx, ids)
}

async function makeFindable(tx: Tx, owner: HeldOwner, row: Row): Promise<void> {
  const partition = await partitionOf(tx, owner, row.classification as Classification)
  await tx
    .updateTable('memory_item')
    .set({ partition_id: partition.id })
    .where('workspace_id', '=', owner.workspace)
    .where('owner_id', '=', owner.id)
    .where('id', '=', row.id)
    .execute()
  await addEntries(tx, partition, [{ id: row.id, title: row.summary ?? '', text: row.content }])
}
