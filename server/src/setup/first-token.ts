import { join } from 'node:path'
import { newCredential } from '../lib/credential.ts'
import { hasAdminToken } from '../operators/admin-token-store.ts'
import { type ChangeDeps, changeServer } from './change-recorded.ts'
import { importAdminToken } from './imported-secret.ts'
import { writePrivateFile } from './private-file.ts'

/**
 * Makes an admin token when nobody can operate this server, and answers the file that it was written to; undefined when somebody
 * can. The file comes first: a process that dies in between leaves a token that opens nothing, and the next start makes another.
 */
export async function ensureAdminToken(deps: ChangeDeps, dataDir: string): Promise<string | undefined> {
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
