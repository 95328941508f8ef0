import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { exportData } from '../backup/export.ts'
import { fileStoreOptions } from '../context-options.ts'
import { counted } from '../lib/counted.ts'
import { openFileStore } from '../messaging/attachments/open-file-store.ts'
import { chooseWorkspace } from './choose-workspace.ts'
import { CommandFailure, type Terminal } from './terminal.ts'
import { withDatabase } from './with-database.ts'

const MIN_PASSPHRASE = 16

/** `gatehouse export FILE`: writes the whole server or one Workspace to a file. */
export const exportCommand = (
  terminal: Terminal,
  path: string,
  { workspace: name, passphraseFile }: { workspace?: string; passphraseFile?: string },
): Promise<void> =>
  withDatabase(terminal, async ({ config, secrets, database, clock }) => {
    const passphrase = await readPassphrase(passphraseFile)
    const workspace = name === undefined ? undefined : await chooseWorkspace(database.db, name)
    const files = openFileStore(fileStoreOptions(config, secrets))
    const onProgress = (text: string): void => terminal.status?.(text)
    const options = { path: resolve(path), workspace, passphrase, onProgress }
    const result = await exportData({ db: database.db, files, secrets, clock }, options).finally(() => files.close())
    terminal.status?.('')
    terminal.out(`${path}: ${counted(result.rows, 'row')} and ${counted(result.files, 'file')}`)
    if (result.missing > 0)
      terminal.note(`${counted(result.missing, 'attachment was', 'attachments were')} deleted while the export ran`)
    if (passphrase === undefined)
      terminal.note('secrets stay sealed: the target needs this secret key, as its key or in GATEHOUSE_OLD_SECRET_KEYS')
  })

/** The content of the file without white space at its ends. */
export async function readPassphrase(path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined
  const text = await readFile(path, 'utf8').catch(({ code }) => {
    throw new CommandFailure(`${path} cannot be read (${code})`)
  })
  const passphrase = text.trim()
  if (passphrase.length < MIN_PASSPHRASE)
    throw new CommandFailure(`the passphrase in ${path} must have at least ${MIN_PASSPHRASE} characters`)
  return passphrase
}
