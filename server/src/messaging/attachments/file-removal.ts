import type { Db, Tx } from '../../db/database.ts'
import { newUuid } from '../../lib/id.ts'
import type { FileStore } from './file-store.ts'

/** How long an upload may take from here on until its row is written. */
const ARRIVING_MS = 3_600_000

/**
 * A place for a file that is about to be kept. Until `claimFileKey` it is among those to be removed: whatever happens in between,
 * no file is left that nothing points at.
 */
export async function newFileKey(db: Db, now: Date): Promise<string> {
  const uuid = newUuid()
  // The last digits are random: as many files in each folder.
  const place = `${uuid.slice(-2)}/${uuid}`
  await db
    .insertInto('removed_file')
    .values({ place, removed_at: new Date(now.getTime() + ARRIVING_MS) })
    .execute()
  return place
}

/** The file at `place` has its row from now on. False when it took so long that the file may be gone. */
export async function claimFileKey(tx: Tx, place: string, now: Date): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('removed_file')
    .where('place', '=', place)
    .where('removed_at', '>', now)
    .executeTakeFirst()
  return Number(numDeletedRows) === 1
}

/** Nothing will ever point at the file of a new place. */
export async function discardFile(db: Db, files: FileStore, place: string): Promise<void> {
  await files.remove(place)
  await db.deleteFrom('removed_file').where('place', '=', place).execute()
}

/** Removes up to `most` files whose rows are gone; answers how many it looked at. A fault keeps the others from nothing. */
export async function removeDueFiles(db: Db, files: FileStore, now: Date, most: number): Promise<number> {
  const due = await db
    .selectFrom('removed_file')
    .select('place')
    .where('removed_at', '<=', now)
    .orderBy('removed_at')
    .limit(most)
    .execute()
  const faults: unknown[] = []
  for (const { place } of due) await discardFile(db, files, place).catch((fault) => faults.push(fault))
  if (faults.length > 0) throw new AggregateError(faults, `${faults.length} of ${due.length} files could not be removed`)
  return due.length
}
