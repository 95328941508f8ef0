import { hash } from 'node:crypto'
import { sql } from 'kysely'
import type { Workspace } from '../../domains/identity/workspace.ts'
import { findWorkspace } from '../../domains/identity/workspace-store.ts'
import type { Db, Tx } from '../../platform/db/database.ts'
import { canonicalJson } from '../../platform/lib/canonical-json.ts'
import { fromId, toId } from '../../platform/lib/id.ts'
import { type Change, changeOf, DeclarationConflict } from './change.ts'

declare module '../../platform/db/schema.ts' {
  interface Schema {
    applied_declaration: AppliedDeclarationTable
  }
}

interface AppliedDeclarationTable {
  /** The nil UUID for items of the whole server. */
  workspace_id: string
  object: Change['object'] | 'field'
  /** A hash for users. */
  name: string
  /** SHA-256 of the declaration; for a policy set, of its text. */
  hash: string
  applied_at: Date
}

/** `all`: applies every declared item, as `gatehouse apply` does. `changed`: applies only items whose declaration has changed. */
export type ApplyMode = 'all' | 'changed'

interface DeclaredItem {
  readonly object: Change['object']
  readonly name: string
  readonly declared: unknown
  /** Fields that are compared and applied one by one, so that an operator's changes to the other fields stay. */
  readonly fields?: DeclaredFields
  readonly sha256?: string
  /** Whether an operator has replaced the declaration with this hash. A start then keeps the operator's version. Default: no. */
  readonly isReplaced?: (applied: string) => Promise<boolean>
}

interface DeclaredFields {
  readonly values: object
  /** Paths of objects whose fields are applied one by one, for example `settings.memory`. Other objects are replaced. */
  readonly merged?: readonly string[]
}

type ApplyFields = (fields?: object) => Promise<Change[]>

type RowObject = AppliedDeclarationTable['object']

/** Owner of items that belong to no Workspace, for example admin tokens. */
const SERVER = '00000000-0000-0000-0000-000000000000'

/** docs/decisions/0010-setting-up.md. In mode `changed`, an item with the same hash is not applied; `drift` says how it differs. */
export class Ledger {
  readonly #tx: Tx
  readonly #owner: string
  readonly #mode: ApplyMode
  readonly #now: Date
  readonly #stored: Map<string, string>
  readonly #declaredKeys = new Set<string>()

  private constructor(tx: Tx, owner: string, mode: ApplyMode, now: Date, stored: Map<string, string>) {
    this.#tx = tx
    this.#owner = owner
    this.#mode = mode
    this.#now = now
    this.#stored = stored
  }

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
    const declared = item.sha256 ?? hash('sha256', canonicalJson(item.declared))
    const changed = await this.#storeFields(object, name, item.fields)
    const stored = await this.#store(object, name, declared)
    if (this.#mode === 'all' || stored === undefined) return applyFields()
    if (stored === declared || (await item.isReplaced?.(stored))) return this.#findDrift(item, applyFields)
    if (changed === undefined) return applyFields()
    const applied = await applyFields(changed)
    return [...applied, ...(await this.#findDrift(item, applyFields)).filter(({ drift }) => drift !== undefined)]
  }

  async close(): Promise<void> {
    for (const key of this.#stored.keys()) if (!this.#declaredKeys.has(key)) await this.forget(...partsOf(key))
  }

  async forget(object: RowObject, name: string): Promise<void> {
    await this.#tx
      .deleteFrom('applied_declaration')
      .where('workspace_id', '=', this.#owner)
      .where('object', '=', object)
      .where('name', '=', name)
      .execute()
  }

  /** Stores the hash of each field. Returns the fields that changed, or undefined if no earlier hashes are stored. */
  async #storeFields(object: string, name: string, fields: DeclaredFields | undefined): Promise<object | undefined> {
    if (fields === undefined) return undefined
    let hasStored = false
    const changed = new Set<string>()
    for (const [path, value] of listFields(fields)) {
      const declared = hash('sha256', canonicalJson(value))
      const stored = await this.#store('field', `${object} ${name} ${path}`, declared)
      hasStored ||= stored !== undefined
      if (stored !== declared) changed.add(path)
    }
    return hasStored ? pickFields(fields, changed) : undefined
  }

  async #findDrift({ object, name }: DeclaredItem, applyFields: ApplyFields): Promise<Change[]> {
    try {
      const changes = await undone(this.#tx, applyFields)
      return changes.map((change) => (change.done === 'unchanged' ? change : toDrift(change)))
    } catch (error) {
      if (!(error instanceof DeclarationConflict)) throw error
      return [{ ...changeOf(object, 'unchanged', { id: name, name }), drift: `${error.param} ${error.message}` }]
    }
  }

  async #store(object: RowObject, name: string, declared: string): Promise<string | undefined> {
    const key = keyOf(object, name)
    const stored = this.#stored.get(key)
    this.#declaredKeys.add(key)
    if (stored !== declared) await storeHash(this.#tx, { workspace_id: this.#owner, object, name }, declared, this.#now)
    return stored
  }
}

export async function storeHash(
  db: Db,
  item: Pick<AppliedDeclarationTable, 'workspace_id' | 'object' | 'name'>,
  declared: string,
  now: Date,
): Promise<void> {
  const applied = { hash: declared, applied_at: now }
  await db
    .insertInto('applied_declaration')
    .values({ ...item, ...applied })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'object', 'name']).doUpdateSet(applied))
    .execute()
}

/** Applies an item with the ledger. Declarations that do not come from a file have no ledger and are always applied. */
export const applyItem = (ledger: Ledger | undefined, item: DeclaredItem, applyFields: ApplyFields): Promise<Change[]> =>
  ledger ? ledger.apply(item, applyFields) : applyFields()

export async function undone<T>(tx: Tx, work: () => Promise<T>): Promise<T> {
  await sql`savepoint undone`.execute(tx)
  try {
    return await work()
  } finally {
    await sql`rollback to savepoint undone`.execute(tx)
    await sql`release savepoint undone`.execute(tx)
  }
}

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

function listFields({ values, merged = [] }: DeclaredFields, at = ''): [path: string, value: unknown][] {
  return Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .flatMap(([name, value]): [string, unknown][] => {
      const path = at + name
      return isMerged(value, path, merged) ? listFields({ values: value, merged }, `${path}.`) : [[path, value]]
    })
}

function pickFields({ values, merged = [] }: DeclaredFields, paths: ReadonlySet<string>, at = ''): object {
  const picked = Object.entries(values).flatMap(([name, value]): [string, unknown][] => {
    const path = at + name
    if (!isMerged(value, path, merged)) return paths.has(path) ? [[name, value]] : []
    const inner = pickFields({ values: value, merged }, paths, `${path}.`)
    return Object.keys(inner).length > 0 ? [[name, inner]] : []
  })
  return Object.fromEntries(picked)
}

const isMerged = (value: unknown, path: string, merged: readonly string[]): value is object =>
  merged.includes(path) && typeof value === 'object' && value !== null

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
