import { sql } from 'kysely'
import { GatehouseError } from '../../errors.ts'
import type { Database, Tx } from '../../platform/db/database.ts'
import { toId } from '../../platform/lib/id.ts'
import type { SecretBox } from '../../platform/lib/secret-box.ts'

/** Of several Workspaces, because the keys of one may be damaged or destroyed. */
const READ_KEYS = 'select id, signing_key, hash_key from workspace order by created_at, id limit 3'

interface SealedRow {
  readonly id: string
  readonly signing_key: Uint8Array
  readonly hash_key: Uint8Array
}

/** True also if there are no keys. `box`: `secretBox(secretKey, 'workspace')`. */
export async function opensDatabaseKeys(pool: Pick<Database['pool'], 'query'>, box: SecretBox): Promise<boolean> {
  const { rows } = await pool.query<SealedRow>(READ_KEYS)
  return opensAnyKey(rows, box)
}

/** UNAVAILABLE: another node has created Workspaces with another secret key. Nodes with different keys can start on an empty database. */
export async function requireSecretKey(tx: Tx, box: SecretBox): Promise<void> {
  const readKeys = async () => (await sql<SealedRow>`${sql.raw(READ_KEYS)}`.execute(tx)).rows
  let rows = await readKeys()
  if (rows.length === 0) {
    // If two first Workspaces are created at the same time, the second transaction waits here and then sees the first.
    await sql`lock table workspace in share row exclusive mode`.execute(tx)
    rows = await readKeys()
  }
  if (opensAnyKey(rows, box)) return
  const message =
    'The secret key of this node does not belong to its database. Set GATEHOUSE_SECRET_KEY to the value of the other nodes.'
  throw new GatehouseError('UNAVAILABLE', { message })
}

function opensAnyKey(rows: readonly SealedRow[], box: SecretBox): boolean {
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
