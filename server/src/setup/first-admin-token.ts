import { join } from 'node:path'
import { newCredential } from '../lib/credential.ts'
import { hasAdminToken } from '../operators/admin-token-store.ts'
import { importAdminToken } from './imported-secret.ts'
import { writePrivateFile } from './private-file.ts'
import { type ChangeDeps, changeServer } from './recorded-change.ts'

/**
 * Issues the first admin token and returns the file with it, or undefined if there is an admin token already. The file is written
 * before the commit: after a crash in between, its token is invalid and the next start issues another.
 */
export async function issueFirstAdminToken(deps: ChangeDeps, dataDir: string): Promise<string | undefined> {
  const file = join(dataDir, 'admin-token')
  const changes = await changeServer(deps, async (tx, now) => {
    if (await hasAdminToken(tx)) return []
    const { secret, hash } = newCredential('ga_')
    await writePrivateFile(file, `${secret}\n`)
    const id = await importAdminToken(tx, { name: 'first', hash }, now)
    return [{ done: 'issued', object: 'admin_token', id, name: 'first', fields: [] }]
  })
  return changes.length > 0 ? file : undefined
}
