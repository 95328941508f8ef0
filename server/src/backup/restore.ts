import { existsSync } from 'node:fs'
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { listSecretKeys, type SecretKeys, secretKeyId } from '../lib/secret-box.ts'
import { BACKUP_FORMAT, DATABASE_FILE, type Header, type Part } from './export-format.ts'
import { DamagedExportError, readExport } from './export-reader.ts'

/** The backup cannot be restored to this folder. */
class RestoreRefusedError extends Error {}

/**
 * Unpacks the database of a backup into a data folder that has none. The database appears under its name when the whole file was read
 * and its hash is right.
 */
export async function restoreDatabase(path: string, dataDir: string, secrets: SecretKeys): Promise<void> {
  const target = join(dataDir, 'postgres')
  if (existsSync(target))
    throw new RestoreRefusedError(`${dataDir} has a database already: set GATEHOUSE_DATA to a folder without one`)
  const partial = join(dataDir, 'postgres.partial')
  await rm(partial, { recursive: true, force: true })
  await mkdir(partial, { recursive: true, mode: 0o700 })
  try {
    await unpack(readExport(path), dataDir, secrets)
    await rename(partial, target)
  } catch (error) {
    await rm(partial, { recursive: true, force: true })
    throw error
  }
}

async function unpack(parts: AsyncIterable<Part>, dataDir: string, secrets: SecretKeys): Promise<void> {
  let file: FileHandle | undefined
  let header: Header | undefined
  try {
    for await (const part of parts) {
      if (part.kind === 'header') {
        header = part.header
        requireBackup(header, secrets)
      }
      if (!header) throw new DamagedExportError('the file does not begin with a header')
      if (part.kind === 'chunk') await file?.writeFile(part.bytes)
      if (part.kind !== 'file') continue
      await close(file)
      file = await create(part.place, dataDir)
    }
    if (!header) throw new DamagedExportError('the file is empty')
  } finally {
    await close(file)
  }
}

/** Undefined for a folder, and for an attachment, which is stored later. */
async function create(place: string, dataDir: string): Promise<FileHandle | undefined> {
  if (!DATABASE_FILE.test(place)) return undefined
  const path = join(dataDir, place.replace(/^postgres\//, 'postgres.partial/'))
  if (!place.endsWith('/')) return open(path, 'wx', 0o600)
  await mkdir(path, { mode: 0o700 })
  return undefined
}

async function close(file: FileHandle | undefined): Promise<void> {
  if (!file) return
  await file.sync().finally(() => file.close())
}

function requireBackup({ format, secret_key }: Header, secrets: SecretKeys): void {
  if (format !== BACKUP_FORMAT) throw new DamagedExportError('the file is an export: use `gatehouse import`')
  if (listSecretKeys(secrets).some((key) => secretKeyId(key) === secret_key)) return
  throw new RestoreRefusedError(
    `the backup was made with the secret key ${secret_key}: set GATEHOUSE_SECRET_KEY to it, or copy its secret.key to the data folder first`,
  )
}
