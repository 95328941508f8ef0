import { hash } from 'node:crypto'
import { sql } from 'kysely'
import type { Db, Tx } from '../db/database.ts'
import type { Workspace } from '../identity/workspace.ts'
import { findWorkspace } from '../identity/workspace-store.ts'
import { canonicalJson } from '../lib/canonical-json.ts'
import { fromId, toId } from '../lib/id.ts'
import { type Change, DeclarationConflict } from './change.ts'
import { type DeclaredFields, leavesOf, onlyFields } from './declared-fields.ts'

/** `all`: everything that is declared, as `gatehouse apply` does. `changed`: what the file declares differently than last time. */
export type ApplyMode = 'all' | 'changed'

/** A declared thing, known by its object and name within a Workspace. */
export interface Thing {
  readonly object: Change['object']
  readonly name: string
  /** What is declared of it. Only a hash is stored. */
  readonly declared: unknown
  /** The part of it that is compared and applied field by field: what an operator has changed of the others stays. */
  readonly fields?: DeclaredFields
  /** SHA-256 to store instead of the one of `declared`. */
  readonly sha256?: string
  /** Whether an earlier release, which stored no hashes, has applied the same. Default: it has not. */
  readonly wasApplied?: () => Promise<boolean>
}

/** Applies all of a thing, or those of its fields that it is given. */
type Work = (fields?: object) => Promise<Change[]>

/** What the rows of single fields are called. */
const FIELD = 'field'

/** Owner of things that belong to no Workspace, as admin tokens. */
const SERVER = '00000000-0000-0000-0000-000000000000'

/**
 * Remembers for each declared thing what was applied, within the transaction that applies it. In mode `changed` a thing that is
 * declared as last time is left as it is, and its change says in `drift` what applying it would have done.
 */
export class Ledger {
  readonly #tx: Tx
  readonly #owner: string
  readonly #mode: ApplyMode
  readonly #now: Date
  readonly #known: Map<string, string>
  readonly #declared = new Set<string>()

  private constructor(tx: Tx, owner: string, mode: ApplyMode, now: Date, known: Map<string, string>) {
    this.#tx = tx
    this.#owner = owner
    this.#mode = mode
    this.#now = now
    this.#known = known
  }

  /** `workspaceId` undefined: of the server itself. */
  static async open(tx: Tx, workspaceId: string | undefined, mode: ApplyMode, now: Date): Promise<Ledger> {
    const owner = workspaceId === undefined ? SERVER : (fromId('ws', workspaceId) ?? '')
    const rows = await tx
      .selectFrom('applied_declaration')
      .select(['object', 'name', 'hash'])
      .where('workspace_id', '=', owner)
      .execute()
    return new Ledger(tx, owner, mode, now, new Map(rows.map(({ object, name, hash: known }) => [keyOf(object, name), known])))
  }

  /** `work` is given the fields to apply; undefined: all of them. */
  async apply(thing: Thing, work: Work): Promise<Change[]> {
    const { object } = thing
    const name = object === 'user' ? hash('sha256', thing.name) : thing.name
    const key = keyOf(object, name)
    const declared = thing.sha256 ?? hash('sha256', canonicalJson(thing.declared))
    const known = this.#known.get(key)
    this.#declared.add(key)
    const isApplied = known === undefined ? await thing.wasApplied?.() : known === declared
    const changed = await this.#changedFields(object, name, thing.fields)
    if (known !== declared) await this.#store(object, name, declared)
    if (this.#mode === 'all' || (known === undefined && !isApplied)) return work()
    if (isApplied) return this.#compare(thing, work)
    if (changed === undefined) return work()
    const applied = await work(changed)
    return [...applied, ...(await this.#compare(thing, work)).filter(({ drift }) => drift !== undefined)]
  }

  /** Forgets things that are no longer declared. Call it last. */
  async close(): Promise<void> {
    for (const key of this.#known.keys()) if (!this.#declared.has(key)) await this.#delete(...partsOf(key))
  }

  /** The thing is applied again when it is declared again. */
  forget(object: Change['object'], name: string): Promise<void> {
    return this.#delete(object, name)
  }

  /** Remembers each field. Answers those that are declared otherwise than last time; undefined when it is not known which. */
  async #changedFields(object: string, name: string, fields: DeclaredFields | undefined): Promise<object | undefined> {
    if (fields === undefined) return undefined
    let isKnown = false
    const changed = new Set<string>()
    for (const [path, value] of leavesOf(fields)) {
      const row = `${object} ${name} ${path}`
      const key = keyOf(FIELD, row)
      const declared = hash('sha256', canonicalJson(value))
      this.#declared.add(key)
      isKnown ||= this.#known.has(key)
      if (this.#known.get(key) === declared) continue
      changed.add(path)
      await this.#store(FIELD, row, declared)
    }
    return isKnown ? onlyFields(fields, changed) : undefined
  }

  /** Applies within a savepoint and takes it back. */
  async #compare(thing: Thing, work: Work): Promise<Change[]> {
    const unchanged = { done: 'unchanged' as const, object: thing.object, id: thing.name, name: thing.name, fields: [] }
    await sql`savepoint compare_declared`.execute(this.#tx)
    try {
      return (await work()).map((change) => (change.done === 'unchanged' ? change : asDrift(change)))
    } catch (error) {
      if (!(error instanceof DeclarationConflict)) throw error
      return [{ ...unchanged, drift: `${error.param} ${error.message}` }]
    } finally {
      await sql`rollback to savepoint compare_declared`.execute(this.#tx)
      await sql`release savepoint compare_declared`.execute(this.#tx)
    }
  }

  async #delete(object: string, name: string): Promise<void> {
    await this.#tx
      .deleteFrom('applied_declaration')
      .where('workspace_id', '=', this.#owner)
      .where('object', '=', object)
      .where('name', '=', name)
      .execute()
  }

  async #store(object: string, name: string, declared: string): Promise<void> {
    const applied = { hash: declared, applied_at: this.#now }
    await this.#tx
      .insertInto('applied_declaration')
      .values({ workspace_id: this.#owner, object, name, ...applied })
      .onConflict((conflict) => conflict.columns(['workspace_id', 'object', 'name']).doUpdateSet(applied))
      .execute()
  }
}

/** Applies a thing by the ledger, or without one: what is not declared in a file has none. */
export const applyThing = (ledger: Ledger | undefined, thing: Thing, work: Work): Promise<Change[]> =>
  ledger ? ledger.apply(thing, work) : work()

/** The Workspace that was declared by that name and has been renamed since; its name in the file stays its name there. */
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

const keyOf = (object: string, name: string): string => `${object} ${name}`

function partsOf(key: string): [object: string, name: string] {
  const at = key.indexOf(' ')
  return [key.slice(0, at), key.slice(at + 1)]
}

const DRIFTS: Readonly<Partial<Record<Change['done'], string>>> = {
  created: 'is declared, but is not there',
  updated: 'differs from what is declared',
  published: 'is not what is declared',
  issued: 'is declared, but is not valid',
}

/** Of a policy set, the change names the version that would be published: the one in force is meant. */
function asDrift({ done, fields, replaced, ...change }: Change): Change {
  const name = change.object === 'policy_set' ? 'in force' : change.name
  const what = DRIFTS[done] ?? `would be ${done}`
  const detail = replaced ?? (done === 'updated' ? fields.join(', ') : '')
  return { ...change, name, done: 'unchanged', fields: [], drift: detail === '' ? what : `${what} (${detail})` }
}
