import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Config } from '../../platform/config/config.ts'
import { ConfigError } from '../../platform/config/environment.ts'
import type { Declaration } from './declaration.ts'
import { DeclarationReader } from './declaration-reader.ts'
import { checkGatehouseYaml } from './gatehouse-schema.ts'
import { readYaml } from './yaml-source.ts'

export interface GatehouseFile {
  readonly declaration: Declaration
  /** `gatehouse.yaml:12: workspaces[0].name must be …`, also for problems that are found later, in the database. */
  describe(param: string, message: string): string
}

const MAX_LENGTH = 4 * 1_048_576

/** Throws a ConfigError with a line of text for each problem: file, line, field, what to do. */
export function readGatehouseFile(path: string, fromEnvironment: (name: string) => string | undefined): GatehouseFile {
  const reading = readYaml(readText(path))
  if (!reading.ok) throw new ConfigError(`${path}:${reading.line}: ${reading.problem}`)
  const { value, lineOf } = reading
  const describe = (param: string, message: string): string => `${path}:${lineOf(param)}: ${param || 'the file'} ${message}`

  const checked = checkGatehouseYaml(value ?? {})
  if (!checked.ok) throw new ConfigError(describe(checked.problem.param, checked.problem.message))
  const reader = new DeclarationReader({
    fromEnvironment,
    readFile: (name) => readText(resolve(dirname(path), name)),
    findFolder: (name) => existingFolder(resolve(dirname(path), name)),
  })
  const declaration = reader.read(checked.value)
  const problems = reader.problems.map(({ param, message }) => describe(param, message))
  if (problems.length > 0) throw new ConfigError(problems.join('\n'))
  return { declaration, describe }
}

export function checkConfigurationFile(
  { configFile, configFileNamed }: Pick<Config, 'configFile' | 'configFileNamed'>,
  fromEnvironment: (name: string) => string | undefined,
): GatehouseFile | undefined {
  if (existsSync(configFile)) return readGatehouseFile(configFile, fromEnvironment)
  if (configFileNamed) throw new ConfigError(`GATEHOUSE_CONFIG names ${configFile}, which does not exist`)
  return undefined
}

function existingFolder(path: string): string {
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw new ConfigError(`${path} is not a folder`)
  return path
}

function readText(path: string): string {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    throw new ConfigError(`${path} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`)
  }
  if (text.length > MAX_LENGTH) throw new ConfigError(`${path} has more than ${MAX_LENGTH} characters`)
  return text
}
