import { existsSync } from 'node:fs'
import type { Config } from '../../platform/config/config.ts'
import { ConfigError } from '../../platform/config/environment.ts'
import { type GatehouseFile, readGatehouseFile } from './gatehouse-file.ts'

/** Reads and checks `gatehouse.yaml`. Returns undefined if there is none. Throws a ConfigError if it is invalid, or named and absent. */
export function checkConfigurationFile(
  { configFile, configFileNamed }: Pick<Config, 'configFile' | 'configFileNamed'>,
  fromEnvironment: (name: string) => string | undefined,
): GatehouseFile | undefined {
  if (existsSync(configFile)) return readGatehouseFile(configFile, fromEnvironment)
  if (configFileNamed) throw new ConfigError(`GATEHOUSE_CONFIG names ${configFile}, which does not exist`)
  return undefined
}
