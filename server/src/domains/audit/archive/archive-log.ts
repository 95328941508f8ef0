import { once } from 'node:events'
import { buffer } from 'node:stream/consumers'
import { createGzip } from 'node:zlib'
import type { Db } from '../../../platform/db/database.ts'
import { findFirstSequence } from '../audit-store.ts'
import type { Checkpoint } from '../checkpoints/checkpoint.ts'
import {
  findCheckpointAt,
  findCheckpointBefore,
  findCheckpointCovering,
  findLatestCheckpoint,
} from '../checkpoints/checkpoint-store.ts'
import { readSeal } from '../checkpoints/log-seal.ts'
import { AuditTamperedError } from '../checkpoints/verified-seal.ts'
import { findPosition, movePosition } from '../delivery/delivery-store.ts'
import { findExportStart, streamExport, verifyExport } from '../verify/export.ts'
import type { WorkspaceKeys } from '../workspace-keys.ts'
import type { ArchivePlace } from './archive-place.ts'

/** Records of a full segment, about 25 MB before and 2 MB after compression. */
const SEGMENT_RECORDS = 10_000
const LONGEST_WAIT_MS = 24 * 3_600_000
const DIGITS = 16

export const findArchivedSequence = async (
  db: Db,
  place: ArchivePlace,
  workspaceId: string,
  keys: WorkspaceKeys,
): Promise<number> => (await findPosition(db, workspaceId, place.key, keys.hasher.seals)).size

/**
 * `<workspace id>/<first>-<last>.jsonl.gz`; due when it is full, or its first record a day old. Throws AuditTamperedError, storing nothing.
 * A segment ends at a checkpoint, so it may have fewer records than `fullAt`, or more if one checkpoint covers more.
 */
export async function archiveNextSegment(
  db: Db,
  place: ArchivePlace,
  workspaceId: string,
  { keys, now, fullAt = SEGMENT_RECORDS }: { keys: WorkspaceKeys; now: Date; fullAt?: number },
): Promise<boolean> {
  const { seals } = keys.hasher
  const position = await findPosition(db, workspaceId, place.key, seals)
  const archived = position.size
  // The checkpoint of the position is missing if an operator accepted a log without it.
  const after = (archived > 0 && (await findCheckpointAt(db, workspaceId, archived))) || (await findExportStart(db, workspaceId))
  const end = await findSegmentEnd(db, workspaceId, { after: after?.size ?? 0, fullAt, now })
  if (!end) return false
  const lines = streamExport(db, workspaceId, after, end)
  const isAccepted = (after?.size ?? 0) < (await findAcceptedSequence(db, workspaceId, keys))
  const segment = await compress(lines, isAccepted ? undefined : (copied) => requireIntact(copied, workspaceId, keys)).catch(
    async (cause: unknown) => {
      const first = await findFirstSequence(db, workspaceId)
      if (first !== undefined && first > (after?.size ?? 0) + 1)
        throw new Error('retention removed records of the segment while they were copied: the next run continues after them', {
          cause,
        })
      throw cause
    },
  )
  await place.write(`${workspaceId}/${digits((after?.size ?? 0) + 1)}-${digits(end.size)}.jsonl.gz`, segment, now)
  return (await movePosition(db, workspaceId, place.key, { from: position, size: end.size, seals })) !== undefined
}

async function findSegmentEnd(
  db: Db,
  workspaceId: string,
  { after, fullAt, now }: { readonly after: number; readonly fullAt: number; readonly now: Date },
): Promise<Checkpoint | undefined> {
  const latest = await findLatestCheckpoint(db, workspaceId)
  if (!latest || latest.size <= after) return undefined
  const full = await findCheckpointBefore(db, workspaceId, after + fullAt + 1)
  const end = full && full.size > after ? full : await findCheckpointCovering(db, workspaceId, after + 1)
  if (latest.size - after >= fullAt) return end
  const first = await findCheckpointCovering(db, workspaceId, after + 1)
  return first && now.getTime() - Date.parse(first.created_at) >= LONGEST_WAIT_MS ? end : undefined
}

const digits = (sequence: number): string => String(sequence).padStart(DIGITS, '0')

async function findAcceptedSequence(db: Db, workspaceId: string, keys: WorkspaceKeys): Promise<number> {
  const reading = await readSeal(db, workspaceId, keys)
  return reading.kind === 'sealed' ? (reading.seal.accepted?.through ?? 0) : 0
}

/** Once retention has removed the records, the segment is their only copy. Throws an AuditTamperedError. */
async function requireIntact(lines: AsyncIterable<string>, workspaceId: string, { publicKey }: WorkspaceKeys): Promise<void> {
  const { firstFault } = await verifyExport(lines, publicKey)
  if (firstFault) throw new AuditTamperedError(workspaceId, firstFault)
}

async function compress(
  lines: AsyncIterable<string>,
  check: (lines: AsyncIterable<string>) => Promise<void> = readAll,
): Promise<Buffer> {
  const gzip = createGzip()
  const compressed = buffer(gzip)
  async function* copy(): AsyncGenerator<string, void> {
    for await (const line of lines) {
      if (!gzip.write(`${line}\n`)) await once(gzip, 'drain')
      yield line
    }
  }
  try {
    await check(copy())
    gzip.end()
    return await compressed
  } catch (cause) {
    compressed.catch(() => {})
    gzip.destroy()
    throw cause
  }
}

async function readAll(lines: AsyncIterable<string>): Promise<void> {
  for await (const _ of lines);
}
