import { sql } from 'kysely'
import type { Database, Tx } from '../db/database.ts'
import { GatehouseError } from '../errors.ts'
import { toId } from '../lib/id.ts'
import type { SecretBox } from '../lib/secret-box.ts'

/** Workspaces whose keys are tried: those of one may have been damaged or destroyed. */
const TRIED = 3

interface SealedRow {
  readonly id: string
  readonly signing_key: Uint8Array
  readonly hash_key: Uint8Array
}

/** Whether the box (`secretBox(secretKey, 'workspace')`) opens what is sealed in this database; true where nothing is. */
export async function opensWith(pool: Pick<Database['pool'], 'query'>, box: SecretBox): Promise<boolean> {
  const { rows } = await pool.query<SealedRow & { signing_key: Buffer; hash_key: Buffer }>(
    `select id, signing_key, hash_key from workspace order by created_at, id limit ${TRIED}`,
  )
  return opensOneOf(rows, box)
}

/**
 * To be called before something is sealed for a new Workspace: throws UNAVAILABLE when the box does not open those there are. Nodes with
 * different keys can all start on an empty database; only the one that makes the first Workspace may make others.
 */
export async function requireSecretKey(tx: Tx, box: SecretBox): Promise<void> {
  const sealed = (): Promise<SealedRow[]> =>
    tx
      .selectFrom('workspace')
      .select(['id', 'signing_key', 'hash_key'])
      .orderBy('created_at')
      .orderBy('id')
      .limit(TRIED)
      .execute()
  let rows = await sealed()
  if (rows.length === 0) {
    // Of two first Workspaces at the same moment, the second one waits here and then sees the first.
    await sql`lock table workspace in share row exclusive mode`.execute(tx)
    rows = await sealed()
  }
  if (opensOneOf(rows, box)) return
  const message = 'The secret key of this node is not the one of its database. Set GATEHOUSE_SECRET_KEY as on the other nodes.'
  throw new GatehouseError('UNAVAILABLE', { message })
}

function opensOneOf(rows: readonly SealedRow[], box: SecretBox): boolean {
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
