import { resolve } from 'node:path'
import { verifyWorkspace } from '../audit/verify.ts'
import { requireWorkspaceKeys } from '../audit/workspace-keys.ts'
import { importData } from '../backup/import.ts'
import { fileStoreOptions } from '../context-options.ts'
import type { Tx } from '../db/database.ts'
import { findWorkspace } from '../identity/workspace-store.ts'
import { toId } from '../lib/id.ts'
import { openFileStore } from '../messaging/attachments/open-file-store.ts'
import { describeVerification } from './describe-verification.ts'
import { readPassphrase } from './export.ts'
import { CommandFailure, type Terminal } from './terminal.ts'
import { type CommandContext, withDatabase } from './with-database.ts'

const DAY_MS = 86_400_000

/** `gatehouse import FILE`: imports an export and verifies its audit logs. If anything fails, nothing is imported. */
export const importCommand = (terminal: Terminal, path: string, { passphraseFile }: { passphraseFile?: string }): Promise<void> =>
  withDatabase(terminal, async (context) => {
    const { config, secrets, database, clock } = context
    const files = openFileStore(fileStoreOptions(config, secrets))
    const verified: string[] = []
    const options = {
      path: resolve(path),
      passphrase: await readPassphrase(passphraseFile),
      verify: async (tx: Tx, ids: readonly string[]) => {
        for (const id of ids) verified.push(await verifyLog(tx, toId('ws', id), context))
      },
      onProgress: (text: string) => terminal.status?.(text),
      onSkipped: terminal.note,
    }
    const { rows, files: count } = await importData({ db: database.db, files, secrets, clock }, options).finally(() =>
      files.close(),
    )
    terminal.status?.('')
    for (const line of verified) terminal.out(line)
    terminal.out(`${path}: ${rows} rows and ${count} files were imported`)
  })

/** Throws if the audit log does not verify. */
async function verifyLog(tx: Tx, workspaceId: string, { workspaceBox, clock }: CommandContext): Promise<string> {
  const workspace = await findWorkspace(tx, workspaceId)
  if (!workspace) throw new CommandFailure(`the Workspace ${workspaceId} was not imported`)
  const keys = await requireWorkspaceKeys(tx, workspaceBox, workspaceId)
  const completeSince = new Date(clock.now().getTime() - workspace.settings.audit_retention_days * DAY_MS)
  const verification = await verifyWorkspace(tx, workspaceId, keys, { completeSince })
  const line = `${workspace.name}: ${describeVerification(verification)}`
  if (!verification.ok) throw new CommandFailure(`${line}. Nothing was imported`)
  return line
}
