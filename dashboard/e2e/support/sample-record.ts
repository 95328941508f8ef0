import { withoutReferences } from '../../../server/test/support/openapi.ts'

interface Schema {
  readonly type?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: Schema | boolean
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly format?: string
}

const RECORD = '/admin/v1/audit/{id}'
type Operation = { responses: { 200: { content: { 'application/json': { schema: Schema } } } } }

/** The schema of audit records in the server's OpenAPI document. */
export async function readRecordSchema(base: string): Promise<Schema> {
  const document = (await (await fetch(`${base}/openapi.json`)).json()) as { paths: Record<typeof RECORD, { get: Operation }> }
  return withoutReferences(document).paths[RECORD].get.responses[200].content['application/json'].schema
}

/** An audit record with each field of the schema: texts are their paths, and numbers are different. */
export function sampleOf(schema: Schema) {
  let last = 100
  const make = (of: Schema, path: string): unknown => {
    if (of.const !== undefined) return of.const
    if (of.enum) return of.enum[0]
    if (of.anyOf) return make(of.anyOf.find(({ type }) => type !== 'null') ?? {}, path)
    if (of.type === 'array') return [make(of.items ?? {}, path)]
    if (of.type === 'object') return makeObject(of, path)
    if (of.type === 'boolean') return true
    if (of.type === 'integer' || of.type === 'number') {
      last += 1
      return last
    }
    return of.format === 'date-time' ? '2026-11-24T14:03:21.000Z' : `of ${path}`
  }
  const makeObject = ({ properties = {}, patternProperties, additionalProperties }: Schema, path: string) => {
    const named = Object.entries(properties).map(([name, of]) => [name, make(of, `${path} ${name}`.trim())])
    const free = Object.values(patternProperties ?? {})[0] ?? additionalProperties
    const names = typeof free !== 'object' ? [] : (NAMES[path] ?? ['some.name'])
    return Object.fromEntries([...named, ...names.map((name) => [name, make(free as Schema, `${path} ${name}`)])])
  }
  const made = make(schema, '') as object
  return { ...made, stages: [{ name: 'classify', outcome: 'ok', ms: 77 }], release: RELEASE, change: CHANGE, ...OTHER }
}

/** Names in objects whose names the schema leaves open. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  findings: ['classify'],
  'findings classify': ['pii.email'],
  stored_response: ['read'],
}
const RELEASE = { mode: 'windowed', characters: 55 }
const CHANGE = {
  action: 'robot.switch_off',
  object_type: 'robot',
  object_id: 'rob_1',
  fields: ['power'],
  restores: { id: 'pol_restored', version: 88 },
}
/** A field of another version. */
const OTHER = { newer_field: 'of newer_field' }

/** The values of a record with their paths. */
export function valuesIn(value: unknown, path = ''): (readonly [path: string, value: unknown])[] {
  if (typeof value !== 'object' || value === null) return [[path, value]]
  return Object.entries(value).flatMap(([name, one]) => valuesIn(one, `${path} ${name}`.trim()))
}

/** Values that are not on the page: the type of the object, which is the same in all records. */
const EXEMPT = ['object']
export const isExempt = (path: string): boolean => EXEMPT.includes(path)

const WORDS: Readonly<Record<string, string>> = {
  // The sample has an error, so its details show the verdict of the policies and not "Allowed".
  allow: 'Allow',
  ok: 'Done',
  windowed: 'Windowed',
  public: 'Public',
  embedder: 'Embedder',
}

/** The value as the page shows it. */
export function inWords(path: string, value: unknown): string {
  if (typeof value === 'boolean') return BOOLEANS[path] ?? String(value)
  return WORDS[String(value)] ?? String(value)
}

const BOOLEANS: Readonly<Record<string, string>> = {
  'user verified': 'Verified',
  dry_run: 'Yes',
  'charge estimated': 'estimated',
  'decision rules 0 left_out': 'left out hits',
}
