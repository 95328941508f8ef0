import type { Db } from '../db/database.ts'
import type { Role } from '../domain/operator.ts'
import type { Clock } from '../lib/clock.ts'
import type { RecordOperatorEvent } from './operator-event.ts'
import { findPerson, lockOwners, suspendPerson, updatePerson } from './operator-store.ts'

interface FollowDeps {
  readonly db: Db
  readonly clock: Clock
  readonly record: RecordOperatorEvent
}

/** Gives somebody the role that their provider says, unless they are the last owner. */
export async function applySingleSignOnRole({ db, clock, record }: FollowDeps, id: string, role: Role): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const owners = await lockOwners(tx)
    const isLast = owners.length === 1 && owners[0] === id
    const before = await findPerson(tx, id)
    const stays = before?.role === role && before.state !== 'suspended'
    if (isLast || !before || stays) return
    await updatePerson(tx, id, { role }, clock.now())
    await record(tx, { action: 'operator.update', id, fields: ['role'], actor: null })
  })
}

/** Suspends somebody whose provider names no role for them, unless they are the last owner. */
export async function suspendWithoutRole({ db, clock, record }: FollowDeps, id: string): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const owners = await lockOwners(tx)
    const isLast = owners.length === 1 && owners[0] === id
    const before = await findPerson(tx, id)
    if (isLast || !before || before.state === 'suspended') return
    await suspendPerson(tx, id, clock.now())
    await record(tx, { action: 'operator.suspend', id, actor: null })
  })
}
