import { resolve } from 'node:path'
import { fileStoreOptions } from '../../context-options.ts'
import { openFileStore } from '../../domains/messaging/attachments/open-file-store.ts'
import { counted } from '../../platform/lib/counted.ts'
import { exportData } from '../backup/export.ts'
import type { Terminal } from './terminal.ts'
import { withDatabase } from './with-database.ts'

/** `gatehouse export FILE`: writes the whole server to a file. */
export const exportCommand = (terminal: Terminal, path: string): Promise<void> =>
  withDatabase(terminal, async ({ config, secrets, database, clock }) => {
    const files = openFileStore(fileStoreOptions(config, secrets))
    const options = { path: resolve(path), onProgress: (text: string): void => terminal.status?.(text) }
    const result = await exportData({ db: database.db, files, secrets, clock }, options).finally(() => files.close())
    terminal.status?.('')
    terminal.out(`${path}: ${counted(result.rows, 'row')} and ${counted(result.files, 'file')}`)
    if (result.missing > 0)
      terminal.note(`${counted(result.missing, 'attachment was', 'attachments were')} deleted while the export ran`)
    terminal.note('secrets stay sealed: the target needs this secret key, as its key or in GATEHOUSE_OLD_SECRET_KEYS')
  })
