import type { Workspace } from '../applications/workspace.ts'
import { ADOPTED } from '../audit/adopt-log.ts'
import { type Checkpoint, isGenuine } from '../audit/checkpoint.ts'
import { exportRecords } from '../audit/export.ts'
import { makeCheckpoint } from '../audit/sign-checkpoints.ts'
import { type Verification, verifyWorkspace } from '../audit/verify.ts'
import { AuditTampered, stopSigning } from '../audit/vouching.ts'
import { parseTime } from '../lib/clock.ts'
import { allWorkspaces, chooseWorkspace } from './choose.ts'
import { CommandProblem, type Terminal } from './command.ts'
import { keptCheckpoints } from './kept-files.ts'
import { describeVerification } from './verification.ts'
import { type Workbench, withDatabase } from './with-database.ts'
import { workspaceKeys } from './workspace-keys.ts'

const DAY_MS = 86_400_000

/** `gatehouse audit verify`: reads every record; the first bad one of each Workspace is named. */
export const auditVerify = (terminal: Terminal, { workspace: name, kept: files = [] }: VerifyOptions): Promise<void> =>
  withDatabase(terminal, async (bench) => {
    const { db } = bench.database
    const kept = await keptCheckpoints(files)
    const bad: string[] = []
    const workspaces = name === undefined ? await allWorkspaces(db) : [await chooseWorkspace(db, name)]
    const others = keptOfOthers(kept, workspaces)
    // A file of all Workspaces may be held against one of them.
    if (name !== undefined && others.length > 0 && kept.every(({ workspace_id }) => others.includes(workspace_id)))
      throw new CommandProblem(`no kept checkpoint is one of ${name}: they are of ${others.join(', ')}`)
    for (const gone of name === undefined ? others : []) {
      terminal.out(`${gone}: checkpoints of this Workspace were kept, and it is not in the database`)
      bad.push(gone)
    }
    for (const workspace of workspaces) {
      const verification = await verify(bench, workspace, kept)
      terminal.out(`${workspace.name}: ${describeVerification(verification)}`)
      if (!verification.ok) bad.push(workspace.name)
    }
    if (bad.length > 0) throw new CommandProblem(`the audit log of ${bad.join(', ')} is not as it was written`)
  })

/** Ids of Workspaces that have kept checkpoints and are not verified: one that was removed, or a file of another database. */
function keptOfOthers(kept: readonly Checkpoint[], workspaces: readonly Workspace[]): readonly string[] {
  const verified = new Set(workspaces.map(({ id }) => id))
  const others = new Set(kept.map(({ workspace_id }) => workspace_id).filter((id) => !verified.has(id)))
  return [...others]
}

interface VerifyOptions {
  readonly workspace?: string
  /** Files. */
  readonly kept?: readonly string[]
}

/** What is found stops signing on every running node. */
async function verify(bench: Workbench, { id, settings }: Workspace, all: readonly Checkpoint[]): Promise<Verification> {
  const { db } = bench.database
  const keys = await workspaceKeys(bench, id)
  const kept = all.filter((checkpoint) => checkpoint.workspace_id === id)
  const altered = kept.find((checkpoint) => !isGenuine(checkpoint, keys.publicKey))
  if (altered)
    throw new CommandProblem(`a kept checkpoint of ${altered.size} records of ${id} was altered, or signed by another key`)
  const completeSince = new Date(bench.clock.now().getTime() - settings.audit_retention_days * DAY_MS)
  const verification = await verifyWorkspace(db, id, keys, { completeSince, kept }).catch(tooOld)
  if (verification.firstBad) await stopSigning(db, id, keys, verification.firstBad)
  return verification
}

function tooOld(cause: unknown): never {
  if (cause instanceof RangeError) throw new CommandProblem(cause.message)
  throw cause
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
    const keys = await workspaceKeys(bench, workspace.id)
    await makeCheckpoint(db, workspace.id, keys, bench.clock.now(), () => terminal.note(ADOPTED)).catch((cause: unknown) => {
      if (!(cause instanceof AuditTampered)) throw cause
      terminal.note(`${cause.message}; the export ends at the last checkpoint`)
    })
    for await (const line of exportRecords(db, workspace.id, range)) terminal.out(line)
  })

function time(name: 'from' | 'to', text: string | undefined): { [name in 'from' | 'to']?: Date } {
  if (text === undefined) return {}
  const date = parseTime(text)
  if (!date) throw new CommandProblem(`--${name} must be a time, as 2026-03-01 or 2026-03-01T09:00:00Z`)
  return { [name]: date }
}
