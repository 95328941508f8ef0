import type { Db } from '../db/database.ts'
import { SEALED_COLUMNS } from '../keys/sealed-columns.ts'
import { type SecretKeys, secretBox } from '../lib/secret-box.ts'
import { SecondFactors } from '../operators/second-factors.ts'
import type { Value } from './export-format.ts'

/** A sealed value that the configured keys do not open. */
class UnreadableSealError extends Error {}

type ConvertRow = (row: readonly Value[]) => Promise<readonly Value[]>

/** Keys that open and seal the values of a table. `to` undefined: they are only opened, as a check. */
export interface SealConversion {
  readonly from: SecretKeys
  readonly to: SecretKeys | undefined
}

/** The function that seals the values of a table's rows with other keys. Undefined: the table has none. */
export function sealConverter(
  db: Db,
  table: string,
  columns: readonly string[],
  { from, to }: SealConversion,
): ConvertRow | undefined {
  const steps = [
    ...boxSteps(table, columns, from, to),
    ...(table === 'operator_second_factor' ? [secondFactorStep(db, columns, from, to)] : []),
  ]
  if (steps.length === 0) return undefined
  return async (row) => {
    let converted = row
    for (const step of steps) converted = await step(converted)
    return converted
  }
}

const boxSteps = (table: string, columns: readonly string[], from: SecretKeys, to: SecretKeys | undefined): ConvertRow[] =>
  SEALED_COLUMNS.filter((column) => column.table === table).map(({ column, purpose, context }) => {
    const [source, target] = [secretBox(from, purpose), to && secretBox(to, purpose)]
    const at = columns.indexOf(column)
    return async (row) => {
      const sealed = row[at]
      if (sealed == null) return row
      const known = context(toFields(columns, row))
      const plain = openOrThrow(`${table}.${column}`, () => source.open(fromHex(sealed), known))
      return target ? row.with(at, toHex(target.seal(plain, known))) : row
    }
  })

function secondFactorStep(db: Db, columns: readonly string[], from: SecretKeys, to: SecretKeys | undefined): ConvertRow {
  const [source, target] = [new SecondFactors(db, from), new SecondFactors(db, to ?? from)]
  const [secretAt, codesAt] = [columns.indexOf('secret'), columns.indexOf('backup_codes')]
  return async (row) => {
    const converted = await source.convert({ secret: row[secretAt] ?? '', backup_codes: row[codesAt] ?? '' }, target)
    if (!converted) throw unreadable('operator_second_factor')
    return to ? row.with(secretAt, converted.secret).with(codesAt, converted.backup_codes) : row
  }
}

function openOrThrow(place: string, open: () => string): string {
  try {
    return open()
  } catch {
    throw unreadable(place)
  }
}

const unreadable = (place: string): UnreadableSealError =>
  new UnreadableSealError(
    `the configured secret keys do not open a value of ${place}. Set GATEHOUSE_SECRET_KEY or GATEHOUSE_OLD_SECRET_KEYS to the key of the ` +
      'source, or export with --passphrase-file',
  )

const toFields = (columns: readonly string[], row: readonly Value[]): Record<string, string> =>
  Object.fromEntries(columns.flatMap((name, at) => (row[at] == null ? [] : [[name, row[at]]])))

/** PostgreSQL's text form of bytea. */
const toHex = (bytes: Buffer): string => `\\x${bytes.toString('hex')}`
const fromHex = (text: string): Buffer => Buffer.from(text.slice(2), 'hex')
