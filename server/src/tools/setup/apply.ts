import type { Logger } from 'pino'
import type { Config } from '../../platform/config/config.ts'
import { ConfigError } from '../../platform/config/environment.ts'
import type { Secrets } from '../../platform/config/secrets.ts'
import type { Database } from '../../platform/db/database.ts'
import { applyAdminTokens } from './apply-secrets.ts'
import { applyWorkspace } from './apply-workspace.ts'
import { type Change, DeclarationConflict, describeChange, describeDrift, locateConflicts } from './change.ts'
import { checkConfigurationFile, type GatehouseFile } from './gatehouse-file.ts'
import { type ApplyMode, Ledger } from './ledger.ts'
import { type ChangeDeps, changeServer, publishChanges, setupTransaction } from './recorded-change.ts'

interface ApplyOptions extends ChangeDeps {
  readonly dryRun?: boolean
  readonly mode?: ApplyMode
}

/** Throws a ConfigError with the line if the database does not allow a declaration: the Workspaces before it are applied. */
export async function applyConfiguration(file: GatehouseFile, options: ApplyOptions): Promise<Change[]> {
  const { database, clock, dryRun, mode = 'all' } = options
  const { adminTokens, workspaces } = file.declaration
  const changes: Change[] = []
  try {
    for (const [index, workspace] of workspaces.entries()) {
      const applied = await locateConflicts(`workspaces[${index}]`, () =>
        setupTransaction(database.db, (tx) => applyWorkspace(tx, workspace, clock.now(), options, { mode }), dryRun),
      )
      changes.push(...applied.changes)
      if (!dryRun) await publishChanges(database.signal, applied.workspaceId, applied.changes)
    }
    const ofServer = await changeServer(
      options,
      async (tx, now) => {
        const ledger = await Ledger.open(tx, undefined, mode, now)
        const applied = await applyAdminTokens(tx, adminTokens, now, ledger)
        await ledger.close()
        return applied
      },
      dryRun,
    )
    return [...changes, ...ofServer]
  } catch (error) {
    throw error instanceof DeclarationConflict ? new ConfigError(file.describe(error.param, error.message)) : error
  }
}

export interface ConfigurationFileDeps extends ChangeDeps {
  readonly config: Config
  readonly secrets: Secrets
  readonly log: Logger
  readonly database: Database
}

export async function applyConfigurationFile(deps: ConfigurationFileDeps): Promise<GatehouseFile | undefined> {
  const { config, secrets, log } = deps
  const file = checkConfigurationFile(config, secrets.fromEnvironment)
  if (!file) return undefined
  const changes = await applyConfiguration(file, { ...deps, mode: 'changed' })
  for (const change of changes.filter(({ done }) => done !== 'unchanged'))
    log.info(`${config.configFile}: ${describeChange(change)}`)
  const drifts = changes.flatMap((change) => describeDrift(change) ?? [])
  for (const drift of drifts) log.warn(`${config.configFile}: ${drift}`)
  if (drifts.length > 0) log.warn('differences from the file stay; `gatehouse apply` applies the file')
  return file
}
