import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { type Checkpoint, isGenuine } from '../../domains/audit/checkpoints/checkpoint.ts'
import { type Resumption, resumeSigning } from '../../domains/audit/checkpoints/resume-signing.ts'
import { makeCheckpoint } from '../../domains/audit/checkpoints/sign-checkpoints.ts'
import { AuditTamperedError, describeFault, stopSigning } from '../../domains/audit/checkpoints/verified-seal.ts'
import { type ExportHeader, exportRecords, parseHeader, verifyExport } from '../../domains/audit/verify/export.ts'
import { type Verification, verifyWorkspace } from '../../domains/audit/verify/verify.ts'
import type { Workspace } from '../../domains/identity/workspace.ts'
import { parseTime } from '../../platform/lib/clock.ts'
import { counted } from '../../platform/lib/counted.ts'
import { gunzipFile } from '../../platform/lib/gunzip-file.ts'
import { linesOf } from '../../platform/lib/lines.ts'
import { chooseWorkspace, chooseWorkspaces } from './choose-workspace.ts'
import { CommandFailure, type Terminal } from './terminal.ts'
import { describeVerification, readKeptCheckpoints, unreadable, workspaceKeys } from './verification.ts'
import { type CommandContext, withDatabase } from './with-database.ts'

export const auditVerify = (
  terminal: Terminal,
  { workspace: name, kept: files = [] }: { workspace?: string; kept?: readonly string[] },
): Promise<void> =>
  withDatabase(terminal, async (context) => {
    const { db } = context.database
    const kept = await readKeptCheckpoints(files)
    const failedNames: string[] = []
    const workspaces = await chooseWorkspaces(db, name)
    // Removed from the database, or from another database.
    const others = [...new Set(kept.map(({ workspace_id }) => workspace_id)).difference(new Set(workspaces.map(({ id }) => id)))]
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
  const verification = await verifyWorkspace(db, id, keys, { kept }).catch((cause: unknown) => {
    throw cause instanceof RangeError ? new CommandFailure(cause.message) : cause
  })
  if (verification.firstFault) await stopSigning(db, id, keys, verification.firstFault)
  return verification
}

/** `gatehouse audit export`: signs a checkpoint first, so that the export includes the newest records. */
export const auditExport = (
  terminal: Terminal,
  { workspace: name, from, to }: { workspace?: string; from?: string; to?: string },
): Promise<void> =>
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

export const auditResume = (
  terminal: Terminal,
  { workspace, acceptAsFound: accept = false }: { workspace?: string; acceptAsFound?: boolean },
): Promise<void> =>
  withDatabase(terminal, async (context) => {
    const { id, name } = await chooseWorkspace(context.database.db, workspace)
    const keys = await workspaceKeys(context, id)
    printResumption(terminal, name, await resumeSigning(context.database.db, id, keys, { accept, clock: context.clock }))
  })

function printResumption({ out, note }: Terminal, name: string, resumption: Resumption): void {
  if (resumption.done === 'refused') {
    throw new CommandFailure(
      `the audit log of ${name} does not verify: ${describeFault(resumption.fault)}. Restore it from a backup, or keep a copy of ` +
        'the database as evidence and accept its current state with --accept-as-found.',
    )
  }
  if (resumption.done === 'nothing') out(`${name}: the log verifies; signing was not stopped`)
  else if (resumption.done === 'resumed') out(`${name}: the log verifies; checkpoints are signed again (${resumption.auditId})`)
  else {
    const { through, removed, auditId } = resumption
    if (removed.length > 0) note(`${name}: these checkpoints were removed; keep their lines as evidence`)
    for (const checkpoint of removed) out(JSON.stringify(checkpoint))
    note(`${name}: accepted as found; records up to ${through} are no longer checked (${auditId})`)
  }
}

/** `gatehouse audit public-key`: prints the key that verifies exports. Give it to verifiers in advance. */
export const auditPublicKey = (terminal: Terminal, { workspace: name }: { workspace?: string }): Promise<void> =>
  withDatabase(terminal, async (context) => {
    const { id } = await chooseWorkspace(context.database.db, name)
    const { publicKey } = await workspaceKeys(context, id)
    terminal.out(publicKey.trimEnd())
  })

/** `gatehouse audit verify-export FILES`: verifies exports with the public key, on any machine, and that they follow each other. */
export async function auditVerifyExports(
  { out }: Terminal,
  files: readonly string[],
  { publicKey, kept = [] }: { publicKey: string; kept?: readonly string[] },
): Promise<void> {
  const key = await readFile(publicKey, 'utf8').catch((error) => unreadable(publicKey, error))
  const checkpoints = await readKeptCheckpoints(kept)
  const headers = await Promise.all(files.map(async (file) => ({ file, header: await readHeader(file) })))
  const inOrder = headers.toSorted((a, b) => startOf(a.header) - startOf(b.header))
  let areValid = true
  for (const [index, { file, header }] of inOrder.entries()) {
    const gap = describeGap(inOrder[index - 1]?.header, header)
    if (gap !== undefined) out(`${file}: ${gap}`)
    const verification = await verifyExport(readLines(file), key, checkpoints).catch((error) => unreadable(file, error))
    out(`${file}: ${describeVerification(verification)}`)
    areValid &&= verification.ok && gap === undefined
  }
  if (!areValid) throw new CommandFailure(`${files.length === 1 ? 'the export was' : 'the exports were'} altered or incomplete`)
}

const startOf = ({ after }: ExportHeader): number => after?.size ?? 0

/** Undefined: the export begins where the previous one ends, and has its records. */
function describeGap(previous: ExportHeader | undefined, next: ExportHeader): string | undefined {
  if (!previous) return undefined
  if (previous.workspace_id !== next.workspace_id) return `it is of another Workspace (${next.workspace_id})`
  const first = startOf(next) + 1
  if (first <= previous.through + 1) return undefined
  return `records ${previous.through + 1} to ${first - 1} are missing before it`
}

async function readHeader(file: string): Promise<ExportHeader> {
  try {
    for await (const line of readLines(file)) return parseHeader(line)
    throw new TypeError('the file is empty; expected an audit export')
  } catch (error) {
    return unreadable(file, error as NodeJS.ErrnoException)
  }
}

/** Records hold hashes and random ids, so an export compresses to about a fiftieth. */
const MAX_COMPRESSION = 200
const readLines = (file: string): AsyncGenerator<string> =>
  linesOf(file.endsWith('.gz') ? gunzipFile(file, MAX_COMPRESSION) : createReadStream(file))
