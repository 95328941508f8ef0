import type { Workspace } from '../applications/workspace.ts'
import { exportRecords } from '../audit/export.ts'
import { makeCheckpoint } from '../audit/sign-checkpoints.ts'
import { type Verification, verifyWorkspace } from '../audit/verify.ts'
import { parseTime } from '../lib/clock.ts'
import { allWorkspaces, chooseWorkspace } from './choose.ts'
import { CommandProblem, type Terminal } from './command.ts'
import { describeVerification } from './verification.ts'
import { type Workbench, withDatabase } from './with-database.ts'
import { workspaceKeys } from './workspace-keys.ts'

const DAY_MS = 86_400_000

/** `gatehouse audit verify`: reads every record; the first bad one of each Workspace is named. */
export const auditVerify = (terminal: Terminal, { workspace: name }: { workspace?: string }): Promise<void> =>
  withDatabase(terminal, async (bench) => {
    const { db } = bench.database
    const workspaces = name === undefined ? await allWorkspaces(db) : [await chooseWorkspace(db, name)]
    const bad: string[] = []
    for (const workspace of workspaces) {
      const verification = await verify(bench, workspace)
      terminal.out(`${workspace.name}: ${describeVerification(verification)}`)
      if (!verification.ok) bad.push(workspace.name)
    }
    if (bad.length > 0) throw new CommandProblem(`the audit log of ${bad.join(', ')} is not as it was written`)
  })

async function verify(bench: Workbench, { id, settings }: Workspace): Promise<Verification> {
  const completeSince = new Date(bench.clock.now().getTime() - settings.audit_retention_days * DAY_MS)
  return verifyWorkspace(bench.database.db, id, await workspaceKeys(bench, id), { completeSince })
}

export interface ExportOptions {
  readonly workspace?: string
  readonly from?: string
  readonly to?: string
}

/** `gatehouse audit export`: signed up to now first, so that the newest records are in it. */
export const auditExport = (terminal: Terminal, { workspace: name, from, to }: ExportOptions): Promise<void> =>
  withDatabase(terminal, async (bench) => {
    const { db } = bench.database
    const range = { ...time('from', from), ...time('to', to) }
    const workspace = await chooseWorkspace(db, name)
    await makeCheckpoint(db, workspace.id, await workspaceKeys(bench, workspace.id), bench.clock.now())
    for await (const line of exportRecords(db, workspace.id, range)) terminal.out(line)
  })

function time(name: 'from' | 'to', text: string | undefined): { [name in 'from' | 'to']?: Date } {
  if (text === undefined) return {}
  const date = parseTime(text)
  if (!date) throw new CommandProblem(`--${name} must be a time, as 2026-03-01 or 2026-03-01T09:00:00Z`)
  return { [name]: date }
}
