import type { Db } from '../../platform/db/database.ts'
import { removeOldAttempts } from './attempt-store.ts'

/** Deletes expired sessions, invitations and unfinished sign-ins, and old counts of attempts. */
export async function removeExpiredSignIns(db: Db, now: Date): Promise<void> {
  for (const table of ['operator_session', 'operator_invitation', 'operator_verification'] as const)
    await db.deleteFrom(table).where('expires_at', '<', now).execute()
  await removeOldAttempts(db, now)
}
