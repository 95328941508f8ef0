import type { Tx } from '../db/database.ts'
import { findWorkspace, findWorkspaceByName, listWorkspaces } from '../identity/workspace-store.ts'
import type { Change } from '../setup/change.ts'
import type { ChangeDeps } from '../setup/recorded-change.ts'
import { publishChanges } from '../setup/signals.ts'
import { setupTransaction } from '../setup/transaction.ts'
import { DEMO_ISSUER, DEMO_NAME } from './demo-declaration.ts'
import { type DemoFile, readDemoFile, withBaseUrl, writeDemoFile } from './demo-file.ts'
import { areSecretsKnown } from './demo-secrets.ts'
import { seedDemo } from './demo-seed.ts'

export interface DemoDeps extends ChangeDeps {
  readonly dataDir: string
}

/**
 * The demo that belongs to this database and this data folder. An empty database is seeded. Where the demo is there but its
 * demo.json is not (deleted, or of another database), keys and tokens are issued anew and the old ones revoked, since only
 * their hashes are stored. Everything else that has changed since the seeding stays. Undefined when the database serves
 * something else: no demo is put beside it.
 *
 * The file is written before the transaction ends. A process that dies in between leaves a file whose keys nobody knows, which
 * the next start replaces; never keys whose file nobody has.
 */
export async function prepareDemo(deps: DemoDeps, baseUrl: string): Promise<DemoFile | undefined> {
  const { database, clock, dataDir } = deps
  const kept = await readDemoFile(dataDir)
  const prepared = await setupTransaction(database.db, async (tx): Promise<{ demo?: DemoFile; changes: readonly Change[] }> => {
    const known = await findDemo(tx, kept)
    if (known && kept && (await areSecretsKnown(tx, kept))) return { demo: kept, changes: [] }
    if (!known && !(await isEmpty(tx))) return { changes: [] }
    const { demo, changes } = await seedDemo(tx, known, clock.now(), deps)
    const placed = withBaseUrl(demo, baseUrl)
    await writeDemoFile(dataDir, placed)
    return { demo: placed, changes }
  })
  await publishChanges(database.signal, prepared.demo?.workspace.id ?? '', prepared.changes)
  return prepared.demo
}

/** Operators may have renamed it; only the seeded Workspace has that issuer. */
async function findDemo(tx: Tx, kept: DemoFile | undefined) {
  const workspace = (kept && (await findWorkspace(tx, kept.workspace.id))) ?? (await findWorkspaceByName(tx, DEMO_NAME))
  return workspace?.settings.issuer === DEMO_ISSUER ? workspace : undefined
}

async function isEmpty(tx: Tx): Promise<boolean> {
  const page = await listWorkspaces(tx, { limit: 1 })
  return page?.data.length === 0
}
