import type { Db, Tx } from '../db/database.ts'
import { type Page, type PageRequest, readPage } from '../db/page.ts'
import type { Role } from '../domain/operator.ts'
import { causingScope, ROLE_SCOPES, roleOf } from '../domain/roles.ts'
import { newId } from '../lib/id.ts'
import { hasAccount, removeFirstInvitation, SERVER, withdrawInvitationsOf } from './invitation-store.ts'
import type { NewPerson, Person } from './operator.ts'

const people = (db: Db) =>
  db
    .selectFrom('operator')
    .select(['id', 'name', 'email', 'role', 'two_factor_enabled', 'suspended_at', 'last_signed_in_at', 'created_at'])
    .select((eb) => hasAccount(eb).as('has_account'))

type Row = Awaited<ReturnType<ReturnType<typeof people>['executeTakeFirstOrThrow']>>

const personOf = (row: Row): Person => ({
  id: row.id,
  name: row.name,
  email: row.email,
  role: roleOf(row.role),
  state: row.suspended_at ? 'suspended' : row.has_account ? 'active' : 'invited',
  twoFactor: row.two_factor_enabled,
  lastSignedInAt: row.last_signed_in_at,
  createdAt: row.created_at,
})

/** Oldest first. */
export const listPeople = (db: Db, page: PageRequest): Promise<Page<Person>> =>
  readPage(people(db), page, { by: ['id'], place: page.after === undefined ? undefined : [page.after] }, personOf)

export async function findPerson(db: Db, id: string): Promise<Person | undefined> {
  const row = await people(db).where('id', '=', id).executeTakeFirst()
  return row && personOf(row)
}

/** As `findPerson`, and they stay as they are until `tx` ends. */
export async function lockPerson(tx: Tx, id: string): Promise<Person | undefined> {
  await tx.selectFrom('operator').select('id').where('id', '=', id).forShare().execute()
  return findPerson(tx, id)
}

export async function findPersonByEmail(db: Db, email: string): Promise<Person | undefined> {
  const row = await people(db).where('email', '=', email.toLowerCase()).executeTakeFirst()
  return row && personOf(row)
}

/** Undefined when the address is taken. They cannot sign in before they have accepted an invitation, or come by way of OIDC. */
export async function createPerson(tx: Tx, { name, email, role }: NewPerson, now: Date): Promise<Person | undefined> {
  const id = newId('opr')
  const made = await tx
    .insertInto('operator')
    .values({ id, name, email: email.toLowerCase(), email_verified: true, role, created_at: now, updated_at: now })
    .onConflict((conflict) => conflict.column('email').doNothing())
    .executeTakeFirst()
  if (made.numInsertedOrUpdatedRows === 0n) return undefined
  await removeFirstInvitation(tx)
  return findPerson(tx, id)
}

/**
 * Undefined when there is none of that id. A new role ends their sessions and withdraws the invitations that they issued, and
 * closes a link that was made for the old one. Publish the topic `operators` afterwards.
 */
export async function updatePerson(
  tx: Tx,
  id: string,
  { name, role }: { readonly name?: string | undefined; readonly role?: Role | undefined },
  now: Date,
): Promise<Person | undefined> {
  const before = await findPerson(tx, id)
  if (!before) return undefined
  const patch = { name: name ?? before.name, role: role ?? before.role, updated_at: now }
  const resumed = role === undefined ? {} : { suspended_at: null }
  await tx
    .updateTable('operator')
    .set({ ...patch, ...resumed })
    .where('id', '=', id)
    .execute()
  if (patch.role !== before.role) {
    await endSessions(tx, id)
    if (causingScope(ROLE_SCOPES[before.role]))
      await tx.updateTable('operator').set({ could_cause_requests: true }).where('id', '=', id).execute()
    await tx.deleteFrom('operator_invitation').where('operator_id', '=', id).execute()
    await withdrawInvitationsOf(tx, id)
  }
  return findPerson(tx, id)
}

/** Ends what somebody may here until they have a role again: sessions, admin tokens, invitations that they issued. */
export async function suspendPerson(tx: Tx, id: string, now: Date): Promise<void> {
  await tx.updateTable('operator').set({ suspended_at: now, updated_at: now }).where('id', '=', id).execute()
  await endSessions(tx, id)
  await withdrawInvitationsOf(tx, id)
}

/** False when there is none of that id. With everything they sign in with, and the invitations that they issued. Publish the topic `operators` afterwards. */
export async function deletePerson(tx: Tx, id: string): Promise<boolean> {
  await withdrawInvitationsOf(tx, id)
  const { numDeletedRows } = await tx.deleteFrom('operator').where('id', '=', id).executeTakeFirst()
  return numDeletedRows > 0n
}

/** Ends somebody's sessions but the one with the token `kept`, and the sign-ins of theirs that are under way. */
export async function endSessions(tx: Tx, id: string, kept = ''): Promise<void> {
  await tx.deleteFrom('operator_session').where('operator_id', '=', id).where('token', '!=', kept).execute()
  await tx.deleteFrom('operator_verification').where('value', '=', id).execute()
}

export async function recordSignIn(tx: Tx, id: string, now: Date): Promise<void> {
  await tx.updateTable('operator').set({ last_signed_in_at: now }).where('id', '=', id).execute()
}

/** Wrong codes in a row, by whoever knew the password. */
export async function countWrongCodes(tx: Tx, id: string): Promise<number> {
  const row = await tx
    .selectFrom('operator_second_factor')
    .select('failed_count')
    .where('operator_id', '=', id)
    .executeTakeFirst()
  return row?.failed_count ?? 0
}

/**
 * Gives somebody a password as their only one, and takes away sessions and the second factor that were theirs before. `issuer`: of
 * the link with which it was chosen.
 */
export async function setPassword(tx: Tx, id: string, passwordHash: string, issuer: string | null, now: Date): Promise<void> {
  await endSessions(tx, id)
  await tx.deleteFrom('operator_second_factor').where('operator_id', '=', id).execute()
  await tx
    .updateTable('operator')
    .set({
      two_factor_enabled: false,
      password_by: issuer,
      updated_at: now,
      // Whoever works on the server vouches for them anew.
      ...(issuer === SERVER && { could_cause_requests: false }),
    })
    .where('id', '=', id)
    .execute()
  const account = { operator_id: id, provider_id: 'credential', account_id: id, password: passwordHash }
  await tx
    .insertInto('operator_account')
    .values({ id: newId('acc'), ...account, created_at: now, updated_at: now })
    .onConflict((conflict) =>
      conflict.columns(['provider_id', 'account_id']).doUpdateSet({ password: passwordHash, updated_at: now }),
    )
    .execute()
}

/**
 * The ids of the owners who can sign in, held until `tx` ends: who takes the role from one only while another is left must not
 * meet somebody who does the same with that other.
 */
export async function lockOwners(tx: Tx): Promise<string[]> {
  const rows = await tx
    .selectFrom('operator')
    .select((eb) => ['id', hasAccount(eb).as('has_account')])
    .where('role', '=', 'owner')
    .where('suspended_at', 'is', null)
    .orderBy('id')
    .forUpdate()
    .execute()
  return rows.filter(({ has_account }) => has_account).map(({ id }) => id)
}

/** Whether somebody's password may be known to another operator: it was not chosen with a link that the server itself issued. */
export async function hasOperatorIssuedPassword(db: Db, id: string): Promise<boolean> {
  const row = await db
    .selectFrom('operator')
    .innerJoin('operator_account', 'operator_account.operator_id', 'operator.id')
    .select('operator.id')
    .where('operator.id', '=', id)
    .where('operator_account.provider_id', '=', 'credential')
    .where((eb) => eb.or([eb('operator.password_by', 'is', null), eb('operator.password_by', '!=', SERVER)]))
    .executeTakeFirst()
  return row !== undefined
}

/** Whether somebody had a role before with which requests can be caused: what they prepared then still works. */
export async function couldCauseRequests(db: Db, id: string): Promise<boolean> {
  const row = await db.selectFrom('operator').select('could_cause_requests').where('id', '=', id).executeTakeFirst()
  return row?.could_cause_requests ?? false
}

/** Whether there is anybody at all: a first start without prints a link for the first owner. */
export async function hasPeople(db: Db): Promise<boolean> {
  return (await db.selectFrom('operator').select('id').limit(1).executeTakeFirst()) !== undefined
}
