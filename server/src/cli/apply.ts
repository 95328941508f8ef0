import { resolve } from 'node:path'
import { readConfig } from '../config/config.ts'
import type { FileOutcome } from '../ingestion/ingest-folder.ts'
import { ingestFolders } from '../ingestion/ingest-folders.ts'
import { applyConfiguration } from '../setup/apply.ts'
import { describeChange } from '../setup/change.ts'
import { readGatehouseFile } from '../setup/gatehouse-file.ts'
import { CommandProblem, type Terminal } from './command.ts'
import { withDatabase } from './with-database.ts'

/** `gatehouse apply [file] [--dry-run] [--check]`: prints a line for each thing declared. The database is touched once the file is sound. */
export async function apply(
  terminal: Terminal,
  path: string | undefined,
  { dryRun: only = false, check = false }: { dryRun?: boolean; check?: boolean },
): Promise<void> {
  const dryRun = only || check
  const { configFile } = readConfig(terminal.env)
  const file = readGatehouseFile(path === undefined ? configFile : resolve(path), (name) => terminal.env[name] || undefined)
  let changed = 0
  let failed = 0
  await withDatabase(terminal, async (bench) => {
    const changes = await applyConfiguration(file, { ...bench, dryRun })
    for (const change of changes) terminal.out(describeChange(change))
    changed = changes.filter(({ done }) => done !== 'unchanged').length
    if (dryRun) return
    const tell = (_: string, { key, error }: FileOutcome): void => {
      if (error) terminal.note(`${key}: ${error.message} (${error.code})`)
    }
    for await (const { collection, tally, fault } of ingestFolders(bench, file.declaration, tell, { mode: 'all' })) {
      terminal.out(`documents of ${collection}: ${tally}`)
      if (fault) throw fault
      changed += tally.changes
      failed += tally.counts.failed
    }
  })
  terminal.note(changed === 0 ? 'nothing has changed' : `${changed} ${dryRun ? 'would change' : 'changed'}`)
  if (check && changed > 0) throw new CommandProblem('the database differs from what the file declares')
  if (failed > 0) throw new CommandProblem(`${failed} files were left out`)
}
