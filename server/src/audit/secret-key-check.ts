import type { Database } from '../db/database.ts'
import { toId } from '../lib/id.ts'
import type { SecretBox } from '../lib/secret-box.ts'

/** Workspaces whose keys are tried: those of one may have been damaged or destroyed. */
const TRIED = 3

/** Whether the box (`secretBox(secretKey, 'workspace')`) opens what is sealed in this database; true where nothing is. */
export async function opensWith(pool: Pick<Database['pool'], 'query'>, box: SecretBox): Promise<boolean> {
  const { rows } = await pool.query<{ id: string; signing_key: Buffer; hash_key: Buffer }>(
    `select id, signing_key, hash_key from workspace order by created_at, id limit ${TRIED}`,
  )
  const opens = (id: string, sealed: Uint8Array): boolean => {
    try {
      box.open(sealed, toId('ws', id))
      return true
    } catch {
      return false
    }
  }
  return rows.length === 0 || rows.some(({ id, signing_key, hash_key }) => opens(id, signing_key) || opens(id, hash_key))
}
