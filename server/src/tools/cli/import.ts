import { resolve } from 'node:path'
import { fileStoreOptions } from '../../context-options.ts'
import { chainImported } from '../../domains/audit/chain/chain-pending.ts'
import { requireWorkspaceKeys } from '../../domains/audit/workspace-keys.ts'
import { openFileStore } from '../../domains/messaging/attachments/open-file-store.ts'
import type { Tx } from '../../platform/db/database.ts'
import { counted } from '../../platform/lib/counted.ts'
import { toId } from '../../platform/lib/id.ts'
import { importData } from '../backup/import.ts'
import type { Terminal } from './terminal.ts'
import { verifyLog } from './verification.ts'
import { withDatabase } from './with-database.ts'

/** `gatehouse import FILE`: imports an export into an empty database and verifies its audit logs. If anything fails, nothing is imported. */
export const importCommand = (terminal: Terminal, path: string): Promise<void> =>
  withDatabase(terminal, async (context) => {
    const { config, secrets, database, clock } = context
    const files = openFileStore(fileStoreOptions(config, secrets))
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
    const { rows, files: count } = await importData({ db: database.db, files, secrets, clock }, options).finally(() =>
      files.close(),
    )
    terminal.status?.('')
    for (const line of verified) terminal.out(line)
    terminal.out(`${path}: ${counted(rows, 'row')} and ${counted(count, 'file')} were imported`)
  })
