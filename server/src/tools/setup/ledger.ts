import { hash } from 'node:crypto'
import { sql } from 'kysely'
import type { Workspace } from '../../domains/identity/workspace.ts'
import { findWorkspace } from '../../domains/identity/workspace-store.ts'
import type { Db, Tx } from '../../platform/db/database.ts'
import { canonicalJson } from '../../platform/lib/canonical-json.ts'
import { fromId, toId } from '../../platform/lib/id.ts'
import { type Change, DeclarationConflict } from './change.ts'
import { type DeclaredFields, listFields, pickFields } from './declared-fields.ts'

/** `all`: applies every declared item, as `gatehouse apply` does. `changed`: applies only items whose declaration has changed. */
export type ApplyMode = 'all' | 'changed'

/** A declared item, identified by its object and name within a Workspace. */
export interface DeclaredItem {
  readonly object: Change['object']
  readonly name: string
  /** The declaration. Only its hash is stored. */
  readonly declared: unknown
  /** Fields that are compared and applied one by one, so that an operator's changes to the other fields stay. */
  readonly fields?: DeclaredFields
  /** SHA-256 to store instead of the hash of `declared`. */
  readonly sha256?: string
  /**
   * Whether an operator has replaced the declaration with this hash at run time. A start then keeps the operator's version, also if the
   * file has changed since. Default: no.
   */
  readonly isReplaced?: (applied: string) => Promise<boolean>
}

/** Applies the given fields of an item; without fields, the whole item. */
type ApplyFields = (fields?: object) => Promise<Change[]>

/** `object` of the rows for single fields. */
const FIELD = 'field'
type RowObject = Change['object'] | typeof FIELD

/** Owner of items that belong to no Workspace, for example admin tokens. */
const SERVER = '00000000-0000-0000-0000-000000000000'

/**
 * Stores the hash of each item that is applied, in the transaction that applies it (docs/decisions/0010-setting-up.md). In mode
 * `changed`, an item with the same hash as last time is not applied. Its change says in `drift` how it differs from the declaration.
 */
export class Ledger {
  readonly #tx: Tx
  readonly #owner: string
  readonly #mode: ApplyMode
  readonly #now: Date
  /** Stored hashes by `keyOf`. */
  readonly #stored: Map<string, string>
  readonly #declaredKeys = new Set<string>()

  private constructor(tx: Tx, owner: string, mode: ApplyMode, now: Date, stored: Map<string, string>) {
    this.#tx = tx
    this.#owner = owner
    this.#mode = mode
    this.#now = now
    this.#stored = stored
  }

  /** `workspaceId` undefined: for items of the server. */
  static async open(tx: Tx, workspaceId: string | undefined, mode: ApplyMode, now: Date): Promise<Ledger> {
    const owner = workspaceId === undefined ? SERVER : (fromId('ws', workspaceId) ?? '')
    const rows = await tx
      .selectFrom('applied_declaration')
      .select(['object', 'name', 'hash'])
      .where('workspace_id', '=', owner)
      .execute()
    return new Ledger(tx, owner, mode, now, new Map(rows.map(({ object, name, hash: stored }) => [keyOf(object, name), stored])))
  }

  async apply(item: DeclaredItem, applyFields: ApplyFields): Promise<Change[]> {
    const { object } = item
    const name = object === 'user' ? hash('sha256', item.name) : item.name
    const key = keyOf(object, name)
    const declared = item.sha256 ?? hash('sha256', canonicalJson(item.declared))
    const stored = this.#stored.get(key)
    this.#declaredKeys.add(key)
    const isApplied = stored === declared
    const changed = await this.#storeFields(object, name, item.fields)
    if (stored !== declared) await this.#store(object, name, declared)
    if (this.#mode === 'all' || stored === undefined) return applyFields()
    if (isApplied || (await item.isReplaced?.(stored))) return this.#findDrift(item, applyFields)
    if (changed === undefined) return applyFields()
    const applied = await applyFields(changed)
    return [...applied, ...(await this.#findDrift(item, applyFields)).filter(({ drift }) => drift !== undefined)]
  }

  /** Deletes the hashes of items that are no longer declared. Call it last. */
  async close(): Promise<void> {
    for (const key of this.#stored.keys()) if (!this.#declaredKeys.has(key)) await this.#delete(...partsOf(key))
  }

  /** Deletes the hash of an item, so that it is applied when it is declared again. */
  forget(object: Change['object'], name: string): Promise<void> {
    return this.#delete(object, name)
  }

  /** Stores the hash of each field. Returns the fields that changed, or undefined if no earlier hashes are stored. */
  async #storeFields(object: string, name: string, fields: DeclaredFields | undefined): Promise<object | undefined> {
    if (fields === undefined) return undefined
    let hasStored = false
    const changed = new Set<string>()
    for (const [path, value] of listFields(fields)) {
      const row = `${object} ${name} ${path}`
      const key = keyOf(FIELD, row)
      const declared = hash('sha256', canonicalJson(value))
      this.#declaredKeys.add(key)
      hasStored ||= this.#stored.has(key)
      if (this.#stored.get(key) === declared) continue
      changed.add(path)
      await this.#store(FIELD, row, declared)
    }
    return hasStored ? pickFields(fields, changed) : undefined
  }

  /** Applies the item within a savepoint and rolls back, to see what would change. */
  async #findDrift(item: DeclaredItem, applyFields: ApplyFields): Promise<Change[]> {
    await sql`savepoint compare_declared`.execute(this.#tx)
    try {
      return (await applyFields()).map((change) => (change.done === 'unchanged' ? change : toDrift(change)))
    } catch (error) {
      if (!(error instanceof DeclarationConflict)) throw error
      const { object, name } = item
      return [{ done: 'unchanged', object, id: name, name, fields: [], drift: `${error.param} ${error.message}` }]
    } finally {
      await sql`rollback to savepoint compare_declared`.execute(this.#tx)
      await sql`release savepoint compare_declared`.execute(this.#tx)
    }
  }

  async #delete(object: RowObject, name: string): Promise<void> {
    await this.#tx
      .deleteFrom('applied_declaration')
      .where('workspace_id', '=', this.#owner)
      .where('object', '=', object)
      .where('name', '=', name)
      .execute()
  }

  async #store(object: RowObject, name: string, declared: string): Promise<void> {
    const applied = { hash: declared, applied_at: this.#now }
    await this.#tx
      .insertInto('applied_declaration')
      .values({ workspace_id: this.#owner, object, name, ...applied })
      .onConflict((conflict) => conflict.columns(['workspace_id', 'object', 'name']).doUpdateSet(applied))
      .execute()
  }
}

/** Applies an item with the ledger. Declarations that do not come from a file have no ledger and are always applied. */
export const applyItem = (ledger: Ledger | undefined, item: DeclaredItem, applyFields: ApplyFields): Promise<Change[]> =>
  ledger ? ledger.apply(item, applyFields) : applyFields()

/** Finds a Workspace by the name that the file declares, also if an operator has renamed the Workspace. */
export async function findDeclaredWorkspace(db: Db, name: string): Promise<Workspace | undefined> {
  const row = await db
    .selectFrom('applied_declaration')
    .select('workspace_id')
    .where('object', '=', 'workspace')
    .where('name', '=', name)
    .orderBy('applied_at', 'desc')
    .executeTakeFirst()
  return row && findWorkspace(db, toId('ws', row.workspace_id))
}

const keyOf = (object: RowObject, name: string): string => `${object} ${name}`

function partsOf(key: string): [object: RowObject, name: string] {
  const at = key.indexOf(' ')
  return [key.slice(0, at) as RowObject, key.slice(at + 1)]
}

const DRIFTS: Readonly<Partial<Record<Change['done'], string>>> = {
  created: 'is declared, but does not exist',
  updated: 'differs from its declaration',
  published: 'differs from its declaration',
  issued: 'is declared, but is not valid',
}

/** The change of a policy set names the version that would be published; the drift is about the active version. */
function toDrift({ done, fields, replaced, ...change }: Change): Change {
  const name = change.object === 'policy_set' ? '(active)' : change.name
  const drift = DRIFTS[done] ?? `would be ${done}`
  const detail = replaced ?? (done === 'updated' ? fields.join(', ') : '')
  return { ...change, name, done: 'unchanged', fields: [], drift: detail === '' ? drift : `${drift} (${detail})` }
}
