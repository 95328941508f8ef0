import type { Person } from '../../domains/operators/operator.ts'
import { findPersonByEmail, listPeople, lockOwners, updatePerson } from '../../domains/operators/operator-store.ts'
import { ROLES, type Role } from '../../shared/operator.ts'
import { changeServer } from '../setup/recorded-change.ts'
import { ALL_ROWS, chooseWorkspace, listAllWorkspaces } from './choose-workspace.ts'
import { formatTable, formatTime } from './format-table.ts'
import { CommandFailure, type Terminal } from './terminal.ts'
import { withDatabase } from './with-database.ts'

/** `gatehouse operator list` */
export const operatorList = (terminal: Terminal): Promise<void> =>
  withDatabase(terminal, async ({ database: { db } }) => {
    const names = new Map((await listAllWorkspaces(db)).map(({ id, name }) => [id, name]))
    const rows = (await listPeople(db, ALL_ROWS)).data.map((person) => [
      person.email,
      person.state,
      formatTime(person.lastSignedInAt),
      describeRoles(person, names),
    ])
    for (const line of formatTable(['EMAIL', 'STATE', 'LAST SIGN-IN', 'ROLES'], rows)) terminal.out(line)
  })

function describeRoles({ roles }: Person, names: ReadonlyMap<string, string>): string {
  const inWorkspaces = [...roles.workspaces].map(([id, role]) => `${names.get(id) ?? id}:${role}`)
  return [...(roles.all ? [roles.all] : []), ...inWorkspaces].join(' ') || 'none'
}

/** `gatehouse operator role EMAIL ROLE`: for an operator whose roles no owner can change. `none` takes the role. */
export const operatorRole = (
  terminal: Terminal,
  email: string,
  name: string,
  { workspace }: { readonly workspace?: string },
): Promise<void> =>
  withDatabase(terminal, async (context) => {
    const role = parseRole(name)
    const chosen = workspace === undefined ? undefined : await chooseWorkspace(context.database.db, workspace)
    await changeServer(context, async (tx, now) => {
      const owners = await lockOwners(tx)
      const person = await findPersonByEmail(tx, email)
      if (!person) throw new CommandFailure(`there is no operator with the address ${email}`)
      if (!chosen && role !== 'owner' && owners.length === 1 && owners[0] === person.id)
        throw new CommandFailure(`${email} is the last owner of all Workspaces: make another operator an owner first`)
      const workspaces = new Map(person.roles.workspaces)
      if (chosen && role) workspaces.set(chosen.id, role)
      if (chosen && !role) workspaces.delete(chosen.id)
      const all = chosen ? person.roles.all : role
      await updatePerson(tx, person.id, { roles: { all, workspaces } }, now)
      const fields = [chosen ? 'workspace_roles' : 'role']
      const logs = chosen && { workspaceIds: [chosen.id] }
      return [{ done: 'updated', object: 'operator', id: person.id, name: email, fields, ...logs }]
    })
    terminal.note(`${email} has ${role ? `the role ${role}` : 'no role'} in ${chosen ? chosen.name : 'all Workspaces'}`)
  })

function parseRole(name: string): Role | null {
  if (name === 'none') return null
  const role = ROLES.find((known) => known === name)
  if (!role) throw new CommandFailure(`there is no role ${name}. The roles are ${ROLES.join(', ')}, or none`)
  return role
}
