import { issueKey, listKeys, revokeKey } from '../identity/api-key-store.ts'
import { listApplications } from '../identity/application-store.ts'
import type { Workspace } from '../identity/workspace.ts'
import type { Change } from '../setup/change.ts'
import { changeWorkspace } from '../setup/recorded-change.ts'
import { ALL, allWorkspaces, chooseApplication, chooseWorkspace } from './choose.ts'
import { CommandProblem, type Terminal } from './command.ts'
import { shownTime, table } from './table.ts'
import { type Workbench, withDatabase } from './with-database.ts'

export interface KeyIssueOptions {
  readonly application: string
  readonly workspace?: string
  readonly name: string
}

/** `gatehouse key issue`: the key alone on standard output, its id beside it on standard error. */
export const keyIssue = (terminal: Terminal, { application: name, workspace: of, name: label }: KeyIssueOptions): Promise<void> =>
  withDatabase(terminal, async (bench) => {
    const workspace = await chooseWorkspace(bench.database.db, of)
    const { id: applicationId } = await chooseApplication(bench.database.db, workspace, name)
    let secret = ''
    const [change] = await changeWorkspace(bench, workspace.id, async ({ tx, now }) => {
      const issued = await issueKey(tx, { workspaceId: workspace.id, applicationId }, label, now)
      if (!issued) throw new CommandProblem(`the Application ${name} is gone`)
      secret = issued.key
      return [keyChange('issued', issued.id, `${name}/${label}`)]
    })
    terminal.out(secret)
    terminal.note(`${change?.id} for ${name}: kept nowhere, so copy it now`)
  })

/** `gatehouse key revoke ID` */
export const keyRevoke = (terminal: Terminal, id: string): Promise<void> =>
  withDatabase(terminal, async (bench) => {
    for (const workspace of await allWorkspaces(bench.database.db)) {
      if (await revoked(bench, workspace, id)) return terminal.note(`${id} is revoked`)
    }
    throw new CommandProblem(`there is no key ${id}: \`gatehouse key list\` shows them`)
  })

async function revoked(bench: Workbench, workspace: Workspace, id: string): Promise<boolean> {
  const changes = await changeWorkspace(bench, workspace.id, async ({ tx, now }) => {
    const key = await revokeKey(tx, workspace.id, id, now)
    return key ? [keyChange('revoked', key.id, key.name)] : []
  })
  return changes.length > 0
}

/** `gatehouse key list` */
export const keyList = (terminal: Terminal, { workspace: of }: { workspace?: string }): Promise<void> =>
  withDatabase(terminal, async ({ database: { db } }) => {
    const workspaces = of === undefined ? await allWorkspaces(db) : [await chooseWorkspace(db, of)]
    const rows: string[][] = []
    for (const workspace of workspaces) {
      for (const application of (await listApplications(db, workspace.id, ALL))?.data ?? []) {
        const keys = await listKeys(db, { workspaceId: workspace.id, applicationId: application.id }, ALL)
        for (const { id, name, hint, createdAt, revokedAt } of keys?.data ?? []) {
          rows.push([id, workspace.name, application.name, name, `${hint}…`, shownTime(createdAt), shownTime(revokedAt)])
        }
      }
    }
    for (const line of table(['ID', 'WORKSPACE', 'APPLICATION', 'NAME', 'KEY', 'CREATED', 'REVOKED'], rows)) terminal.out(line)
  })

const keyChange = (done: 'issued' | 'revoked', id: string, name: string): Change => ({
  done,
  object: 'key',
  id,
  name,
  fields: [],
})
