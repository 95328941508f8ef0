import type { Statement } from '../support/statement-listener.ts'

const OWNED = /^(?:knowledge|memory|retrieval)_/

export interface OwnedKeys {
  /** UUID of the Workspace. */
  readonly workspace: string
  /** The Workspace's UUID and all ids of its rows. */
  readonly keys: ReadonlySet<string>
}

/** The tables of a statement, each with its alias. */
export function tablesIn(text: string): NamedTable[] {
  const found = text.matchAll(
    /\b(?:from|join|into|update|using)\s+"?((?:knowledge|memory|retrieval)_\w+)"?(?:\s+(?:as\s+)?"?(?!where\b|set\b|join\b|on\b|using\b|order\b|group\b|inner\b|left\b|cross\b|values\b)([a-z]\w*)"?)?/g,
  )
  return [...found].map(([, table = '', alias]) => ({ table, alias: alias ?? table }))
}

/**
 * Columns that limit a table to one owner, besides its Workspace: their values come only from rows that were limited before. Ids that
 * clients send (documents, chunks, memories) are not among them.
 */
const OWNER_KEYS: Readonly<Record<string, readonly string[]>> = {
  knowledge_partition: ['id'],
  knowledge_document: ['partition_id'],
  knowledge_chunk: ['partition_id'],
  memory_owner: ['id'],
  memory_partition: ['owner_id'],
  memory_item: ['owner_id'],
  retrieval_partition: ['id'],
  retrieval_entry: ['partition_id', 'id'],
  retrieval_list: ['partition_id'],
  retrieval_removed: ['partition_id'],
  retrieval_posting: ['partition_id'],
  retrieval_vector: ['partition_id'],
}

interface NamedTable {
  readonly table: string
  readonly alias: string
}

/** Whether a statement limits a table to the owner: by Workspace, by an owner's key, or by a join with a limited table. */
function isLimited(
  one: NamedTable,
  statement: Statement,
  owner: OwnedKeys,
  all: readonly NamedTable[],
  seen: readonly NamedTable[] = [],
): boolean {
  const text = statement.text.replaceAll('"', '')
  // A column without an alias belongs to the first table.
  const prefix = one === all[0] ? `(?:\\b${one.alias}\\.|(?<![.\\w]))` : `\\b${one.alias}\\.`
  const isBound = (column: string, isOwned: (value: string) => boolean): boolean => {
    const conditions = text.matchAll(new RegExp(`${prefix}${column} (?:= (?:any\\()?|in \\()\\$(\\d+)`, 'g'))
    return [...conditions].some(([, place = '']) =>
      flat(statement.values[Number(place) - 1]).every((value) => isOwned(String(value))),
    )
  }
  if (isBound('workspace_id', (value) => value === owner.workspace)) return true
  if ((OWNER_KEYS[one.table] ?? []).some((column) => isBound(column, (value) => owner.keys.has(value)))) return true
  return all
    .filter((other) => other !== one && !seen.includes(other))
    .filter((other) => {
      const key = '(?:\\w+_)?id'
      const joins = [
        `\\b${one.alias}\\.${key} = ${other.alias}\\.${key}`,
        `\\b${other.alias}\\.${key} = ${one.alias}\\.${key}`,
        `(?<![.\\w])\\w+_id = ${other.alias}\\.id`,
      ]
      return joins.some((join) => new RegExp(join).test(text))
    })
    .some((other) => isLimited(other, statement, owner, all, [...seen, one]))
}

export const flat = (value: unknown): unknown[] =>
  Array.isArray(value) ? value : typeof value === 'string' && /^\{.*\}$/.test(value) ? value.slice(1, -1).split(',') : [value]

/** The tables that a statement reads or writes without limiting them to the owner. */
export function findUnlimitedTables(statement: Statement, owner: OwnedKeys): string[] {
  const text = statement.text.replaceAll('"', '')
  const tables = tablesIn(statement.text).filter(({ table }) => OWNED.test(table))
  const values = statement.values.flatMap(flat).map(String)
  return tables
    .filter((one) => {
      const listed =
        new RegExp(`insert into ${one.table}\\b`).test(text) || (one.table.startsWith('retrieval_') && text.includes('unnest('))
      return listed ? !values.some((value) => owner.keys.has(value)) : !isLimited(one, statement, owner, tables)
    })
    .map(({ table }) => table)
}
