import type { Db } from '../db/database.ts'
import { removeOldAttempts } from './attempt-store.ts'

/** Removes sessions, invitations, half sign-ins and counts of attempts that are too old to be of use. */
export async function removeExpiredSignIns(db: Db, now: Date): Promise<void> {
  for (const table of ['operator_session', 'operator_invitation', 'operator_verification'] as const)
    await db.deleteFrom(table).where('expires_at', '<', now).execute()
  await removeOldAttempts(db, now)
}
