import { findWorkspace, findWorkspaceByName, listWorkspaces } from '../../domains/identity/workspace-store.ts'
import type { Tx } from '../../platform/db/database.ts'
import type { SecretBox } from '../../platform/lib/secret-box.ts'
import type { Change } from '../setup/change.ts'
import { type ChangeDeps, publishChanges, setupTransaction } from '../setup/recorded-change.ts'
import { DEMO_NAME } from './demo-declaration.ts'
import { type DemoFile, readDemoFile, withBaseUrl, writeDemoFile } from './demo-file.ts'
import { areSecretsKnown } from './demo-secrets.ts'
import { seedDemo } from './demo-seed.ts'
import { isDemo } from './removal/demo-accounts.ts'

export interface DemoDeps extends ChangeDeps {
  readonly dataDir: string
  /** Seeds a new demo as of a month ago; ../demo-history/make-history.ts then makes the requests since. */
  readonly withHistory?: boolean
  readonly webhookBox: SecretBox
}

const HISTORY_DAYS = 30
const DAY_MS = 86_400_000

/** The time that the history of a new demo covers. It ends before the first real record. */
const newHistory = (now: Date) => ({
  from: new Date(now.getTime() - HISTORY_DAYS * DAY_MS).toISOString(),
  until: now.toISOString(),
})

/**
 * Seeds the demo if the database is empty. If the demo exists but its demo.json is missing or of another database, issues new keys and
 * tokens and revokes the old ones, because only their hashes are stored. Returns undefined if the database has another Workspace.
 *
 * The file is written before the commit: after a crash in between, its keys are invalid and the next start replaces it.
 */
export async function prepareDemo(deps: DemoDeps, baseUrl: string): Promise<DemoFile | undefined> {
  const { database, clock, dataDir, withHistory = false, webhookBox } = deps
  const stored = await readDemoFile(dataDir)
  const prepared = await setupTransaction(database.db, async (tx): Promise<{ demo?: DemoFile; changes: readonly Change[] }> => {
    const workspace = await findDemo(tx, stored)
    if (workspace && stored && (await areSecretsKnown(tx, stored))) return { demo: stored, changes: [] }
    if (!workspace && !(await isEmpty(tx))) return { changes: [] }
    const history = withHistory && !workspace ? newHistory(clock.now()) : undefined
    const seededAt = history ? new Date(history.from) : clock.now()
    const { demo, changes } = await seedDemo(tx, workspace, seededAt, { ...deps, ...(history && { extras: { webhookBox } }) })
    const file = withBaseUrl({ ...demo, ...(history && { history }) }, baseUrl)
    await writeDemoFile(dataDir, file)
    return { demo: file, changes }
  })
  await publishChanges(database.signal, prepared.demo?.workspace.id ?? '', prepared.changes)
  return prepared.demo
}

/** Finds the demo by its issuer, because operators may have renamed it. */
async function findDemo(tx: Tx, stored: DemoFile | undefined) {
  const workspace = (stored && (await findWorkspace(tx, stored.workspace.id))) ?? (await findWorkspaceByName(tx, DEMO_NAME))
  return workspace && isDemo(workspace) ? workspace : undefined
}

async function isEmpty(tx: Tx): Promise<boolean> {
  const page = await listWorkspaces(tx, { limit: 1 })
  return page?.data.length === 0
}
