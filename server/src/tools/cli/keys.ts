import { resealAll } from '../../domains/keys/reseal.ts'
import { countSealedValues, describeKeys, storeCounts } from '../../domains/keys/sealed-counts.ts'
import { counted } from '../../platform/lib/counted.ts'
import { CommandFailure, printTable, type Terminal } from './terminal.ts'
import { type CommandContext, withDatabase } from './with-database.ts'

export const keysStatus = (terminal: Terminal): Promise<void> =>
  withDatabase(terminal, async (context) => printStatus(terminal, await count(context)))

export const keysRotate = (terminal: Terminal): Promise<void> =>
  withDatabase(terminal, async (context) => {
    const { secrets, database } = context
    if (!secrets.oldSecretKeys?.length)
      throw new CommandFailure(
        'there is no old secret key: set GATEHOUSE_SECRET_KEY to the new key and GATEHOUSE_OLD_SECRET_KEYS to the old one',
      )
    let resealed = 0
    for await (const batch of resealAll(database.db, secrets)) {
      resealed += batch.resealed
      terminal.status?.(`${batch.column.table}.${batch.column.column}: ${counted(resealed, 'value')} sealed again`)
    }
    terminal.status?.('')
    terminal.note(`${counted(resealed, 'value was', 'values were')} sealed again with the current key`)
    const uses = await count(context)
    printStatus(terminal, uses)
    const left = uses.keys.filter(({ state, values }) => state === 'old' && values > 0)
    if (left.length > 0)
      throw new CommandFailure('some values are in use and still sealed with an old key: run `gatehouse keys rotate` again')
  })

async function count({ database, secrets, clock }: CommandContext) {
  const counts = await countSealedValues(database.db, secrets)
  await storeCounts(database.db, counts, clock.now())
  return { keys: describeKeys(secrets, counts), counts }
}

function printStatus(terminal: Terminal, { keys, counts }: Awaited<ReturnType<typeof count>>): void {
  const rows = keys.map(({ id, state, values }) => [id, state, `${values}`])
  printTable(terminal, ['KEY', 'STATE', 'VALUES'], rows)
  const missing = counts.filter(({ keyId }) => keys.some(({ id, state }) => state === 'missing' && id === (keyId || 'unknown')))
  for (const { table, column, total } of missing)
    terminal.note(`${table}.${column}: no configured key opens ${counted(total, 'value')}`)
  const old = keys.filter(({ state }) => state === 'old')
  if (old.length > 0 && old.every(({ values }) => values === 0))
    terminal.note('no value needs an old key: remove the old keys from the configuration of every node')
}
