import { resolve } from 'node:path'
import { chainImported } from '../../domains/audit/chain/chain-pending.ts'
import { requireWorkspaceKeys } from '../../domains/audit/workspace-keys.ts'
import type { Tx } from '../../platform/db/database.ts'
import { counted } from '../../platform/lib/counted.ts'
import { toId } from '../../platform/lib/id.ts'
import { exportData } from '../backup/export.ts'
import { importData } from '../backup/import.ts'
import type { Terminal } from './terminal.ts'
import { verifyLog } from './verification.ts'
import { withDatabase, withFiles } from './with-database.ts'

/** `gatehouse export FILE`: writes the whole server to a file. */
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
