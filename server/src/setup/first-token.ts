import { join } from 'node:path'
import { hasAdminToken } from '../applications/admin-token-store.ts'
import { newCredential } from '../applications/credential.ts'
import type { Db } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import { importAdminToken } from './imported-secret.ts'
import { writePrivateFile } from './private-file.ts'
import { setupTransaction } from './transaction.ts'

/**
 * Makes an admin token when nobody can operate this server, and answers the file that it was written to; undefined when somebody
 * can. The file comes first: a process that dies in between leaves a token that opens nothing, and the next start makes another.
 */
export async function ensureAdminToken(db: Db, clock: Clock, dataDir: string): Promise<string | undefined> {
  return setupTransaction(db, async (tx) => {
    if (await hasAdminToken(tx)) return undefined
    const { secret, hash } = newCredential('ga_')
    const file = join(dataDir, 'admin-token')
    await writePrivateFile(file, `${secret}\n`)
    await importAdminToken(tx, { name: 'first', hash }, clock.now())
    return file
  })
}
