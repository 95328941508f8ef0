import { findKeyByHash } from '../../domains/identity/api-key-store.ts'
import { findWorkspace, findWorkspaceByName, listWorkspaces } from '../../domains/identity/workspace-store.ts'
import { findAdminTokenByHash } from '../../domains/operators/admin-token-store.ts'
import type { Tx } from '../../platform/db/database.ts'
import type { SecretBox } from '../../platform/lib/secret-box.ts'
import { hashSecret } from '../setup/apply-secrets.ts'
import type { Change } from '../setup/change.ts'
import { type ChangeDeps, publishChanges, setupTransaction } from '../setup/recorded-change.ts'
import { DEMO_NAME } from './demo-declaration.ts'
import { type DemoFile, readDemoFile, withBaseUrl, writeDemoFile } from './demo-file.ts'
import { seedDemo } from './demo-seed.ts'
import { isDemo } from './removal/remove-demo.ts'

interface DemoDeps extends ChangeDeps {
  readonly dataDir: string
  /** Seeds a new demo as of a month ago; ../demo-history/make-history.ts then makes the requests since. */
  readonly withHistory?: boolean
  readonly webhookBox: SecretBox
}

const HISTORY_MS = 30 * 86_400_000

/** New keys and tokens replace those of a lost demo.json. The file is written before the commit: after a crash, the next start replaces it. */
export async function prepareDemo(deps: DemoDeps, baseUrl: string): Promise<DemoFile | undefined> {
  const { database, clock, dataDir, withHistory = false, webhookBox } = deps
  const stored = await readDemoFile(dataDir)
  const prepared = await setupTransaction(database.db, async (tx): Promise<{ demo?: DemoFile; changes: readonly Change[] }> => {
    const workspace = await findDemo(tx, stored)
    if (workspace && stored && (await areSecretsKnown(tx, stored))) return { demo: stored, changes: [] }
    if (!workspace && (await listWorkspaces(tx, { limit: 1 }))?.data.length !== 0) return { changes: [] }
    const now = clock.now()
    // The history ends before the first real record.
    const from = new Date(now.getTime() - HISTORY_MS)
    const hasHistory = withHistory && !workspace
    const { demo, changes } = hasHistory
      ? await seedDemo(tx, workspace, from, { ...deps, extras: { webhookBox } })
      : await seedDemo(tx, workspace, now, deps)
    const history = { from: from.toISOString(), until: now.toISOString() }
    const file = withBaseUrl({ ...demo, ...(hasHistory && { history }) }, baseUrl)
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

/** Whether this database has the file's keys and admin token. Revoked ones count. */
async function areSecretsKnown(tx: Tx, { admin_token, applications }: DemoFile): Promise<boolean> {
  const token = hashSecret(admin_token, 'ga_')
  if (!token || !(await findAdminTokenByHash(tx, token))) return false
  for (const { id, api_key, revoked_api_key } of applications) {
    for (const key of [api_key, revoked_api_key]) {
      const hash = hashSecret(key, 'gk_')
      const found = hash && (await findKeyByHash(tx, hash))
      if (found?.application.id !== id) return false
    }
  }
  return true
}
