import { resolve } from 'node:path'
import { chainImported } from '../../domains/audit/chain/chain-pending.ts'
import { verifyWorkspace } from '../../domains/audit/verify/verify.ts'
import { requireWorkspaceKeys } from '../../domains/audit/workspace-keys.ts'
import { findWorkspace } from '../../domains/identity/workspace-store.ts'
import { readConfig } from '../../platform/config/config.ts'
import { readSecrets } from '../../platform/config/secrets.ts'
import type { Db, Tx } from '../../platform/db/database.ts'
import { counted } from '../../platform/lib/counted.ts'
import { toId } from '../../platform/lib/id.ts'
import { backUp, exportData } from '../backup/export.ts'
import { readExport } from '../backup/export-reader.ts'
import { importData } from '../backup/import.ts'
import { StagedFiles } from '../backup/import-files.ts'
import { restoreDatabase } from '../backup/restore.ts'
import { listAllWorkspaces } from './choose-workspace.ts'
import { CommandFailure, type Terminal } from './terminal.ts'
import { describeVerification } from './verification.ts'
import { type CommandContext, withDatabase, withFiles } from './with-database.ts'

export const exportCommand = (terminal: Terminal, path: string): Promise<void> =>
  withDatabase(terminal, async (context) => {
    const options = { path: resolve(path), onProgress: (text: string): void => terminal.status?.(text) }
    const result = await withFiles(context, (files) => exportData({ ...context, db: context.database.db, files }, options))
    terminal.status?.('')
    terminal.out(`${path}: ${counted(result.rows, 'row')} and ${counted(result.files, 'file')}`)
    if (result.missing > 0)
      terminal.note(`${counted(result.missing, 'attachment was', 'attachments were')} deleted while the export ran`)
    terminal.note('secrets stay sealed: the target needs this secret key, as its key or in GATEHOUSE_OLD_SECRET_KEYS')
  })

/** `gatehouse import FILE`: imports an export into an empty database and verifies its audit logs. If anything fails, nothing is imported. */
export const importCommand = (terminal: Terminal, path: string): Promise<void> =>
  withDatabase(terminal, async (context) => {
    const verified: string[] = []
    const options = {
      path: resolve(path),
      verify: async (tx: Tx, ids: readonly string[]) => {
        for (const workspaceId of ids.map((id) => toId('ws', id))) {
          await chainImported(tx, workspaceId, await requireWorkspaceKeys(tx, context.workspaceBox, workspaceId))
          verified.push(await verifyLog(tx, workspaceId, context))
        }
      },
      onProgress: (text: string) => terminal.status?.(text),
      onSkipped: terminal.note,
    }
    const { rows, files: count } = await withFiles(context, (files) =>
      importData({ ...context, db: context.database.db, files }, options),
    )
    terminal.status?.('')
    for (const line of verified) terminal.out(line)
    terminal.out(`${path}: ${counted(rows, 'row')} and ${counted(count, 'file')} were imported`)
  })

export const backupCommand = (terminal: Terminal, path: string): Promise<void> =>
  withDatabase(terminal, async (context) => {
    const onProgress = (text: string): void => terminal.status?.(text)
    const { missing } = await withFiles(context, (files) =>
      backUp({ ...context, dataDir: context.config.dataDir, files }, resolve(path), onProgress),
    )
    terminal.status?.('')
    terminal.out(`${path}: the backup is complete`)
    if (missing > 0) terminal.note(`${counted(missing, 'attachment was', 'attachments were')} deleted while the backup ran`)
    terminal.note('the secret key is not part of the backup: keep a copy of it in another place')
  })

/** `gatehouse restore FILE`: restores a backup into a data folder without a database, and verifies its audit logs. */
export async function restoreCommand(terminal: Terminal, path: string): Promise<void> {
  const config = readConfig(terminal.env)
  if (config.databaseUrl !== undefined)
    throw new CommandFailure('a backup belongs to the embedded database: unset DATABASE_URL, then export from it to PostgreSQL')
  const secrets = readSecrets(terminal.env, config)
  const verified: string[] = []
  const failed: string[] = []
  let count = 0
  await restoreDatabase(resolve(path), { dataDir: config.dataDir, secrets }, (staging) =>
    withDatabase(
      terminal,
      async (context) => {
        const { db } = context.database
        count = await storeAttachments(context, resolve(path))
        // A backup of a log with an alarm is restored too: it may be the only copy.
        for (const { id } of await listAllWorkspaces(db))
          await verifyLog(db, id, context).then(
            (line) => verified.push(line),
            (error) => {
              if (!(error instanceof CommandFailure)) throw error
              failed.push(error.message)
            },
          )
      },
      { dataDir: staging },
    ),
  )
  for (const line of verified) terminal.out(line)
  terminal.out(`${path}: the database and ${counted(count, 'attachment')} were restored`)
  if (failed.length > 0) throw new CommandFailure(failed.join('\n'))
}

const storeAttachments = (context: CommandContext, path: string): Promise<number> =>
  withFiles(context, async (files) => {
    const { database, clock } = context
    const staged = new StagedFiles({ db: database.db, files, clock })
    try {
      const count = await staged.store(readExport(path))
      await database.db.transaction().execute((tx) => staged.keep(tx))
      return count
    } catch (error) {
      await staged.discard()
      throw error
    }
  })

async function verifyLog(db: Db, workspaceId: string, { workspaceBox }: CommandContext): Promise<string> {
  const workspace = await findWorkspace(db, workspaceId)
  if (!workspace) throw new CommandFailure(`the Workspace ${workspaceId} is not in the database`)
  const keys = await requireWorkspaceKeys(db, workspaceBox, workspaceId)
  const verification = await verifyWorkspace(db, workspaceId, keys)
  const line = `${workspace.name}: ${describeVerification(verification)}`
  if (!verification.ok) throw new CommandFailure(`the copy is not complete: ${line}`)
  return line
}
