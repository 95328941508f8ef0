import type { Db } from '../db/database.ts'
import type { Role } from '../domain/operator.ts'
import type { Clock } from '../lib/clock.ts'
import type { RecordOperatorEvent } from './operator-event.ts'
import { findPerson, lockOwners, suspendPerson, updatePerson } from './operator-store.ts'

interface RoleDeps {
  readonly db: Db
  readonly clock: Clock
  readonly record: RecordOperatorEvent
}

/** Gives an operator the role from the identity provider. The last owner keeps the role. */
export async function applySingleSignOnRole({ db, clock, record }: RoleDeps, id: string, role: Role): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const owners = await lockOwners(tx)
    const isLastOwner = owners.length === 1 && owners[0] === id
    const person = await findPerson(tx, id)
    const isUnchanged = person?.role === role && person.state !== 'suspended'
    if (isLastOwner || !person || isUnchanged) return
    await updatePerson(tx, id, { role }, clock.now())
    await record(tx, { action: 'operator.update', id, fields: ['role'], actor: null })
  })
}

/** Suspends an operator without a role from the identity provider. The last owner is not suspended. */
export async function suspendWithoutRole({ db, clock, record }: RoleDeps, id: string): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const owners = await lockOwners(tx)
    const isLastOwner = owners.length === 1 && owners[0] === id
    const person = await findPerson(tx, id)
    if (isLastOwner || !person || person.state === 'suspended') return
    await suspendPerson(tx, id, clock.now())
    await record(tx, { action: 'operator.suspend', id, actor: null })
  })
}
