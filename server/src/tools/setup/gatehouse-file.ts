import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { type Document, isAlias, isMap, isNode, isPair, isScalar, isSeq, LineCounter, parseDocument } from 'yaml'
import type { Config } from '../../platform/config/config.ts'
import { ConfigError } from '../../platform/config/environment.ts'
import type { Declaration } from './declaration.ts'
import { DeclarationReader } from './declaration-reader.ts'
import { checkGatehouseYaml } from './gatehouse-schema.ts'

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

type YamlReading =
  /** `lineOf`: line of a field, from 1. `param`: path as in platform/lib/schema.ts. A missing field has the line of its parent. */
  | { readonly ok: true; readonly value: unknown; readonly lineOf: (param: string) => number }
  | { readonly ok: false; readonly line: number; readonly problem: string }

/** Reads one YAML 1.2 document without duplicate keys and custom tags. Never throws. */
export function readYaml(text: string): YamlReading {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, stringKeys: true, strict: true })
  const [problem] = [...document.errors, ...document.warnings]
  if (problem) return { ok: false, line: lines.linePos(problem.pos[0]).line, problem: problem.message }
  try {
    return { ok: true, value: document.toJS(), lineOf: (param) => lines.linePos(offsetOf(document, param)).line }
  } catch (error) {
    // Too many aliases, or an alias without an anchor.
    return { ok: false, line: 1, problem: (error as Error).message }
  }
}

function offsetOf(document: Document, param: string): number {
  let node: unknown = document.contents
  let offset = startOf(node)
  let rest = param
  while (rest !== '') {
    const step = isAlias(node) ? { node: node.resolve(document), offset, rest } : descend(node, rest)
    if (step === undefined) break
    ;({ node, offset, rest } = step)
  }
  return offset
}

/** Takes the longest matching key, because keys may contain dots and brackets. */
function descend(node: unknown, path: string): { node: unknown; offset: number; rest: string } | undefined {
  if (isSeq(node)) {
    const [prefix = '', index] = /^\[(\d+)\]\.?/.exec(path) ?? []
    const item = index === undefined ? undefined : node.items[Number(index)]
    return isNode(item) ? { node: item, offset: startOf(item), rest: path.slice(prefix.length) } : undefined
  }
  if (!isMap(node)) return undefined
  const keyed = node.items.flatMap((pair) => {
    const key = isPair(pair) && isScalar(pair.key) ? String(pair.key.value) : undefined
    const follows = key === undefined ? undefined : path.slice(key.length)
    const fits = key !== undefined && path.startsWith(key) && /^($|[.[])/.test(follows ?? '')
    return fits ? [{ key, pair }] : []
  })
  const found = keyed.toSorted((a, b) => b.key.length - a.key.length)[0]
  if (!found) return undefined
  return { node: found.pair.value, offset: startOf(found.pair.key), rest: path.slice(found.key.length).replace(/^\./, '') }
}

const startOf = (node: unknown): number => (isNode(node) ? (node.range?.[0] ?? 0) : 0)
