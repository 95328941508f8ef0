import { mkdir, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { replaceFile } from '../../domains/audit/delivery/send-request.ts'

/** Writes a file with mode 0600, atomically. Resolves when it is durable. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const draft = `${path}.tmp`
  // A draft that is there already may have another mode.
  await rm(draft, { force: true })
  await replaceFile(path, text, draft).finally(() => rm(draft, { force: true }))
}
