import { resolve } from 'node:path'
import { applyConfiguration } from '../setup/apply.ts'
import { describeChange } from '../setup/change.ts'
import { readGatehouseFile } from '../setup/gatehouse-file.ts'
import type { Terminal } from './command.ts'
import { withDatabase } from './with-database.ts'

/** `gatehouse apply [file] [--dry-run]`: prints a line for each thing declared. */
export const apply = (terminal: Terminal, file: string | undefined, { dryRun = false }: { dryRun?: boolean }): Promise<void> =>
  withDatabase(terminal, async ({ config, secrets, ...bench }) => {
    const declared = readGatehouseFile(file === undefined ? config.configFile : resolve(file), secrets.fromEnvironment)
    const changes = await applyConfiguration(declared, { ...bench, dryRun })
    for (const change of changes) terminal.out(describeChange(change))
    const changed = changes.filter(({ done }) => done !== 'unchanged').length
    terminal.note(changed === 0 ? 'nothing has changed' : `${changed} ${dryRun ? 'would change' : 'changed'}`)
  })
