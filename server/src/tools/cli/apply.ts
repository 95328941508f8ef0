import { resolve } from 'node:path'
import { openOcr } from '../../domains/knowledge/ocr.ts'
import { readConfig } from '../../platform/config/config.ts'
import { counted } from '../../platform/lib/counted.ts'
import type { FileOutcome } from '../ingestion/ingest-folder.ts'
import { ingestFolders } from '../ingestion/ingest-folders.ts'
import { applyConfiguration } from '../setup/apply.ts'
import { describeChange } from '../setup/change.ts'
import { readGatehouseFile } from '../setup/gatehouse-file.ts'
import { CommandFailure, type Terminal } from './terminal.ts'
import { withDatabase } from './with-database.ts'

export async function apply(
  terminal: Terminal,
  path: string | undefined,
  { dryRun: dryRunRequested = false, check = false }: { dryRun?: boolean; check?: boolean },
): Promise<void> {
  const dryRun = dryRunRequested || check
  const { configFile } = readConfig(terminal.env)
  const file = readGatehouseFile(path === undefined ? configFile : resolve(path), (name) => terminal.env[name] || undefined)
  let changed = 0
  let failed = 0
  await withDatabase(terminal, async (context) => {
    const changes = await applyConfiguration(file, { ...context, dryRun })
    for (const change of changes) terminal.out(describeChange(change))
    changed = changes.filter(({ done }) => done !== 'unchanged').length
    if (dryRun) return
    const reportFile = (_: string, { key, error }: FileOutcome): void => {
      if (error) terminal.note(`${key}: ${error.message} (${error.code})`)
    }
    for await (const { collection, tally, fault } of ingestFolders(
      { ...context, ocr: openOcr(context.config.ocr) },
      file.declaration,
      reportFile,
      { mode: 'all' },
    )) {
      terminal.out(`documents of ${collection}: ${tally}`)
      if (fault) throw fault
      changed += tally.changes
      failed += tally.counts.failed
    }
  })
  terminal.note(changed === 0 ? 'no changes' : `${changed} ${dryRun ? 'would be changed' : 'changed'}`)
  if (check && changed > 0)
    throw new CommandFailure('the database differs from the file: run `gatehouse apply` without --check to change it')
  if (failed > 0) throw new CommandFailure(`${counted(failed, 'file')} could not be ingested`)
}
