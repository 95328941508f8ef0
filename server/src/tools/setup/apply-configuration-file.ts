import type { Logger } from 'pino'
import type { Config } from '../../platform/config/config.ts'
import type { Secrets } from '../../platform/config/secrets.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Clock } from '../../platform/lib/clock.ts'
import type { SecretBox } from '../../platform/lib/secret-box.ts'
import { applyConfiguration } from './apply.ts'
import { describeChange, describeDrift } from './change.ts'
import { checkConfigurationFile } from './check-configuration-file.ts'
import type { GatehouseFile } from './gatehouse-file.ts'

export interface ConfigurationFileDeps {
  readonly config: Config
  readonly secrets: Secrets
  readonly log: Logger
  readonly database: Database
  readonly clock: Clock
  readonly workspaceBox: SecretBox
  readonly providerBox: SecretBox
}

/** Applies what has changed in `gatehouse.yaml`, and logs it. Returns undefined if there is no file. Throws a ConfigError if it is invalid. */
export async function applyConfigurationFile({
  config,
  secrets,
  log,
  ...deps
}: ConfigurationFileDeps): Promise<GatehouseFile | undefined> {
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
