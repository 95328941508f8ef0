import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { verifyExport } from '../audit/verify-export.ts'
import { chooseWorkspace } from './choose-workspace.ts'
import { describeVerification } from './describe-verification.ts'
import { readKeptCheckpoints } from './kept-checkpoint-files.ts'
import { CommandFailure, type Terminal } from './terminal.ts'
import { withDatabase } from './with-database.ts'
import { workspaceKeys } from './workspace-keys.ts'

/** `gatehouse audit public-key`: prints the key that verifies exports. Give it to verifiers in advance. */
export const auditPublicKey = (terminal: Terminal, { workspace: name }: { workspace?: string }): Promise<void> =>
  withDatabase(terminal, async (context) => {
    const { id } = await chooseWorkspace(context.database.db, name)
    const { publicKey } = await workspaceKeys(context, id)
    terminal.out(publicKey.trimEnd())
  })

/** `gatehouse audit verify-export FILE`: verifies an export with the public key, on any machine. */
export async function auditVerifyExport(
  { out }: Terminal,
  file: string,
  { publicKey, kept = [] }: { publicKey: string; kept?: readonly string[] },
): Promise<void> {
  const key = await readFile(publicKey, 'utf8').catch((error) => unreadable(publicKey, error))
  const checkpoints = await readKeptCheckpoints(kept)
  const input = createReadStream(file)
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })
  const failed = new Promise<never>((_, reject) => input.once('error', reject))
  const verification = await Promise.race([verifyExport(lines, key, checkpoints), failed]).catch((error) =>
    unreadable(file, error),
  )
  out(`${file}: ${describeVerification(verification)}`)
  if (!verification.ok) throw new CommandFailure('the export was altered or is incomplete')
}

function unreadable(file: string, error: NodeJS.ErrnoException): never {
  throw new CommandFailure(`${file}: ${error.code ? `cannot be read (${error.code})` : error.message}`)
}
