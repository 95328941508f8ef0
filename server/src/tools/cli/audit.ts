import { type Checkpoint, isGenuine } from '../../domains/audit/checkpoints/checkpoint.ts'
import { makeCheckpoint } from '../../domains/audit/checkpoints/sign-checkpoints.ts'
import { AuditTamperedError, stopSigning } from '../../domains/audit/checkpoints/verified-seal.ts'
import { exportRecords } from '../../domains/audit/verify/export.ts'
import { type Verification, verifyWorkspace } from '../../domains/audit/verify/verify.ts'
import type { Workspace } from '../../domains/identity/workspace.ts'
import { parseTime } from '../../platform/lib/clock.ts'
import { counted } from '../../platform/lib/counted.ts'
import { chooseWorkspace, listAllWorkspaces } from './choose-workspace.ts'
import { CommandFailure, type Terminal } from './terminal.ts'
import { describeVerification, readKeptCheckpoints, workspaceKeys } from './verification.ts'
import { type CommandContext, withDatabase } from './with-database.ts'

/** `gatehouse audit verify`: reads every record and names the first fault of each Workspace. */
export const auditVerify = (terminal: Terminal, { workspace: name, kept: files = [] }: VerifyOptions): Promise<void> =>
  withDatabase(terminal, async (context) => {
    const { db } = context.database
    const kept = await readKeptCheckpoints(files)
    const failedNames: string[] = []
    const workspaces = name === undefined ? await listAllWorkspaces(db) : [await chooseWorkspace(db, name)]
    const others = findOtherWorkspaces(kept, workspaces)
    // A file may have the checkpoints of several Workspaces.
    if (name !== undefined && others.length > 0 && kept.every(({ workspace_id }) => others.includes(workspace_id)))
      throw new CommandFailure(`no kept checkpoint belongs to ${name}: they belong to ${others.join(', ')}`)
    for (const removed of name === undefined ? others : []) {
      terminal.out(`${removed}: the Workspace of these kept checkpoints is not in the database`)
      failedNames.push(removed)
    }
    for (const workspace of workspaces) {
      const verification = await verify(context, workspace, kept)
      terminal.out(`${workspace.name}: ${describeVerification(verification)}`)
      if (!verification.ok) failedNames.push(workspace.name)
    }
    if (failedNames.length > 0) throw new CommandFailure(`the audit log of ${failedNames.join(', ')} does not verify`)
  })

/** Ids of Workspaces with kept checkpoints that are not verified: removed from the database, or from another database. */
function findOtherWorkspaces(kept: readonly Checkpoint[], workspaces: readonly Workspace[]): readonly string[] {
  const verified = new Set(workspaces.map(({ id }) => id))
  const others = new Set(kept.map(({ workspace_id }) => workspace_id).filter((id) => !verified.has(id)))
  return [...others]
}

interface VerifyOptions {
  readonly workspace?: string
  /** Files with kept checkpoints. */
  readonly kept?: readonly string[]
}

/** A fault stops signing on every running node. */
async function verify(context: CommandContext, { id }: Workspace, all: readonly Checkpoint[]): Promise<Verification> {
  const { db } = context.database
  const keys = await workspaceKeys(context, id)
  const kept = all.filter((checkpoint) => checkpoint.workspace_id === id)
  const altered = kept.find((checkpoint) => !isGenuine(checkpoint, keys.publicKey))
  if (altered)
    throw new CommandFailure(
      `a kept checkpoint of ${counted(altered.size, 'record')} of ${id} was altered or signed with another key`,
    )
  const verification = await verifyWorkspace(db, id, keys, { kept }).catch(toCommandFailure)
  if (verification.firstFault) await stopSigning(db, id, keys, verification.firstFault)
  return verification
}

function toCommandFailure(cause: unknown): never {
  if (cause instanceof RangeError) throw new CommandFailure(cause.message)
  throw cause
}

export interface ExportOptions {
  readonly workspace?: string
  readonly from?: string
  readonly to?: string
}

/** `gatehouse audit export`: signs a checkpoint first, so that the export includes the newest records. */
export const auditExport = (terminal: Terminal, { workspace: name, from, to }: ExportOptions): Promise<void> =>
  withDatabase(terminal, async (context) => {
    const { db } = context.database
    const range = { ...parseTimeOption('from', from), ...parseTimeOption('to', to) }
    const workspace = await chooseWorkspace(db, name)
    const keys = await workspaceKeys(context, workspace.id)
    await makeCheckpoint(db, workspace.id, keys, context.clock).catch((cause: unknown) => {
      if (!(cause instanceof AuditTamperedError)) throw cause
      terminal.note(`${cause.message}; the export ends at the last checkpoint`)
    })
    for await (const line of exportRecords(db, workspace.id, range)) terminal.out(line)
  })

function parseTimeOption(name: 'from' | 'to', text: string | undefined): { [name in 'from' | 'to']?: Date } {
  if (text === undefined) return {}
  const date = parseTime(text)
  if (!date) throw new CommandFailure(`--${name} must be a time such as 2026-03-01 or 2026-03-01T09:00:00Z`)
  return { [name]: date }
}
