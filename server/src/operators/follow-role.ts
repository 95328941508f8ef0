import type { Db } from '../db/database.ts'
import type { Role } from '../domain/operator.ts'
import { lockOwners, updatePerson } from './operator-store.ts'

/** Gives somebody the role that their provider says, unless they are the last owner. */
export async function followRole(db: Db, id: string, role: Role): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const owners = await lockOwners(tx)
    const isLast = owners.length === 1 && owners[0] === id
    if (!isLast || role === 'owner') await updatePerson(tx, id, { role }, new Date())
  })
}
