import { resolve } from 'node:path'
import { readConfig } from '../config/config.ts'
import { applyConfiguration } from '../setup/apply.ts'
import { describeChange } from '../setup/change.ts'
import { readGatehouseFile } from '../setup/gatehouse-file.ts'
import type { Terminal } from './command.ts'
import { withDatabase } from './with-database.ts'

/** `gatehouse apply [file] [--dry-run]`: prints a line for each thing declared. The database is touched once the file is sound. */
export async function apply(
  terminal: Terminal,
  path: string | undefined,
  { dryRun = false }: { dryRun?: boolean },
): Promise<void> {
  const { configFile } = readConfig(terminal.env)
  const file = readGatehouseFile(path === undefined ? configFile : resolve(path), (name) => terminal.env[name] || undefined)
  const changes = await withDatabase(terminal, (bench) => applyConfiguration(file, { ...bench, dryRun }))
  for (const change of changes) terminal.out(describeChange(change))
  const changed = changes.filter(({ done }) => done !== 'unchanged').length
  terminal.note(changed === 0 ? 'nothing has changed' : `${changed} ${dryRun ? 'would change' : 'changed'}`)
}
