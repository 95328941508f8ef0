import { existsSync } from 'node:fs'
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { lockFolder } from '../../platform/db/folder-lock.ts'
import { listSecretKeys, type SecretKeys, secretKeyId } from '../../platform/lib/secret-box.ts'
import { BACKUP_FORMAT, DATABASE_FILE, type Header, type Part } from './export-format.ts'
import { DamagedExportError, readExport } from './export-reader.ts'

class RestoreRefusedError extends Error {}

/** `complete` gets the database before it has its name: an interrupted restore leaves none behind, and can be repeated. */
export async function restoreDatabase(
  path: string,
  { dataDir, secrets }: { readonly dataDir: string; readonly secrets: SecretKeys },
  complete: (staging: string) => Promise<void>,
): Promise<void> {
  const target = join(dataDir, 'postgres')
  requireNoDatabase(target, dataDir)
  const staging = join(dataDir, 'restoring')
  const unlock = lockFolder(join(staging, 'lock'))
  if (!unlock) throw new RestoreRefusedError(`another restore into ${dataDir} is running: wait until it ends`)
  try {
    for (const name of ['postgres', 'run']) await rm(join(staging, name), { recursive: true, force: true })
    await mkdir(join(staging, 'postgres'), { mode: 0o700 })
    await unpack(readExport(path), staging, secrets)
    await complete(staging)
    requireNoDatabase(target, dataDir)
    await rename(join(staging, 'postgres'), target)
  } finally {
    unlock()
    await rm(staging, { recursive: true, force: true })
  }
}

function requireNoDatabase(target: string, dataDir: string): void {
  if (existsSync(target))
    throw new RestoreRefusedError(`${dataDir} has a database already: set GATEHOUSE_DATA to a folder without one`)
}

async function unpack(parts: AsyncIterable<Part>, folder: string, secrets: SecretKeys): Promise<void> {
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
      file = await create(part.place, folder)
    }
    if (!header) throw new DamagedExportError('the file is empty')
  } finally {
    await close(file)
  }
}

/** Undefined for a folder, and for an attachment, which is stored later. */
async function create(place: string, folder: string): Promise<FileHandle | undefined> {
  if (!DATABASE_FILE.test(place)) return undefined
  const path = join(folder, place)
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
