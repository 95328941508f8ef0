import { issueKey, listKeys, revokeKey } from '../../domains/identity/api-key-store.ts'
import { listApplications } from '../../domains/identity/application-store.ts'
import type { Workspace } from '../../domains/identity/workspace.ts'
import { changeOf } from '../setup/change.ts'
import { changeWorkspace } from '../setup/recorded-change.ts'
import { ALL_ROWS, chooseApplication, chooseWorkspace, listAllWorkspaces } from './choose-workspace.ts'
import { formatTime, printTable } from './tables.ts'
import { CommandFailure, type Terminal } from './terminal.ts'
import { type CommandContext, withDatabase } from './with-database.ts'

export interface KeyIssueOptions {
  readonly application: string
  readonly workspace?: string
  readonly name: string
}

/** `gatehouse key issue`: prints the API key to standard output and its id to standard error. */
export const keyIssue = (
  terminal: Terminal,
  { application: name, workspace: workspaceName, name: label }: KeyIssueOptions,
): Promise<void> =>
  withDatabase(terminal, async (context) => {
    const workspace = await chooseWorkspace(context.database.db, workspaceName)
    const { id: applicationId } = await chooseApplication(context.database.db, workspace, name)
    let secret = ''
    const [change] = await changeWorkspace(context, workspace.id, async ({ tx, now }) => {
      const issued = await issueKey(tx, { workspaceId: workspace.id, applicationId }, label, now)
      if (!issued) throw new CommandFailure(`the Application ${name} was deleted in the meantime`)
      secret = issued.key
      return [changeOf('key', 'issued', { id: issued.id, name: `${name}/${label}` })]
    })
    terminal.out(secret)
    terminal.note(`${change?.id} for ${name}: copy it now, because only its hash is stored`)
  })

/** `gatehouse key revoke ID` */
export const keyRevoke = (terminal: Terminal, id: string): Promise<void> =>
  withDatabase(terminal, async (context) => {
    for (const workspace of await listAllWorkspaces(context.database.db)) {
      if (await revokeKeyById(context, workspace, id)) return terminal.note(`${id} is revoked`)
    }
    throw new CommandFailure(`there is no key ${id}: list the keys with \`gatehouse key list\``)
  })

async function revokeKeyById(context: CommandContext, workspace: Workspace, id: string): Promise<boolean> {
  const changes = await changeWorkspace(context, workspace.id, async ({ tx, now }) => {
    const key = await revokeKey(tx, workspace.id, id, now)
    return key ? [changeOf('key', 'revoked', key)] : []
  })
  return changes.length > 0
}

/** `gatehouse key list` */
export const keyList = (terminal: Terminal, { workspace: workspaceName }: { workspace?: string }): Promise<void> =>
  withDatabase(terminal, async ({ database: { db } }) => {
    const workspaces = workspaceName === undefined ? await listAllWorkspaces(db) : [await chooseWorkspace(db, workspaceName)]
    const rows: string[][] = []
    for (const workspace of workspaces) {
      for (const application of (await listApplications(db, workspace.id, ALL_ROWS))?.data ?? []) {
        const keys = await listKeys(db, { workspaceId: workspace.id, applicationId: application.id }, ALL_ROWS)
        for (const { id, name, hint, createdAt, revokedAt } of keys?.data ?? []) {
          rows.push([id, workspace.name, application.name, name, `${hint}…`, formatTime(createdAt), formatTime(revokedAt)])
        }
      }
    }
    printTable(terminal, ['ID', 'WORKSPACE', 'APPLICATION', 'NAME', 'KEY', 'CREATED', 'REVOKED'], rows)
  })
