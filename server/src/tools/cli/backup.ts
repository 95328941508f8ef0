import { resolve } from 'node:path'
import { readConfig } from '../../platform/config/config.ts'
import { readSecrets } from '../../platform/config/secrets.ts'
import { counted } from '../../platform/lib/counted.ts'
import { backUp } from '../backup/backup.ts'
import { readExport } from '../backup/export-reader.ts'
import { StagedFiles } from '../backup/import-files.ts'
import { restoreDatabase } from '../backup/restore.ts'
import { listAllWorkspaces } from './choose-workspace.ts'
import { CommandFailure, type Terminal } from './terminal.ts'
import { verifyLog } from './verification.ts'
import { type CommandContext, withDatabase, withFiles } from './with-database.ts'

/** `gatehouse backup FILE`: copies the embedded database, which a running server may use, and the attachments. */
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
            (error) => failed.push(toFailure(error).message),
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

function toFailure(error: unknown): CommandFailure {
  if (error instanceof CommandFailure) return error
  throw error
}
