import { createReadStream } from 'node:fs'
import { type Checkpoint, parseCheckpointLines } from '../../domains/audit/checkpoints/checkpoint.ts'
import { describeFault } from '../../domains/audit/checkpoints/verified-seal.ts'
import type { Verification } from '../../domains/audit/verify/verify.ts'
import { loadWorkspaceKeys, type WorkspaceKeys } from '../../domains/audit/workspace-keys.ts'
import { counted } from '../../platform/lib/counted.ts'
import { linesOf } from '../../platform/lib/lines.ts'
import { CommandFailure } from './terminal.ts'
import type { CommandContext } from './with-database.ts'

const CHECK = 'start a server, or look for the failures of its job `chain pending audit records`'

export function describeVerification(verification: Verification): string {
  const { ok, records, checkpoints, signedThrough, acceptedThrough, waiting, firstFault } = verification
  const accepted = acceptedThrough ? `; records up to ${acceptedThrough} were accepted by an operator and not checked` : ''
  const inWait = waiting === 1 ? '1 record has waited for its place' : `${waiting} records have waited for their place`
  const late = waiting === undefined ? '' : `; ${inWait} in the log for more than a minute: ${CHECK}`
  if (!ok && firstFault)
    return `${counted(records, 'record')} verified, then a fault: ${describeFault(firstFault)}${accepted}${late}`
  return `${counted(records, 'record')} and ${counted(checkpoints, 'checkpoint')} verified, signed up to record ${signedThrough}${accepted}${late}`
}

/** The Workspace's keys. The public key is derived from the encrypted private key, because the one in the table could be replaced. */
export async function workspaceKeys({ database, workspaceBox }: CommandContext, workspaceId: string): Promise<WorkspaceKeys> {
  const keys = await loadWorkspaceKeys(database.db, workspaceBox, workspaceId).catch(() => undefined)
  if (keys) return keys
  throw new CommandFailure(
    `the keys of ${workspaceId} cannot be decrypted: set GATEHOUSE_SECRET_KEY to the key that they were encrypted with`,
  )
}

export async function readKeptCheckpoints(files: readonly string[]): Promise<Checkpoint[]> {
  const all: Checkpoint[] = []
  for (const file of files) {
    const checkpoints = await parseCheckpointLines(linesOf(createReadStream(file))).catch((cause) => unreadable(file, cause))
    for (const checkpoint of checkpoints) all.push(checkpoint)
  }
  return all
}

export function unreadable(file: string, { code, message }: NodeJS.ErrnoException): never {
  throw new CommandFailure(`${file}: ${code ? `cannot be read (${code})` : message}`)
}
