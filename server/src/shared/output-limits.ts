import { keptNumber } from '../platform/lib/json-numbers.ts'
import { type Fields, isObject, isSet } from '../platform/lib/untrusted-json.ts'
import { VOCABULARY } from './vocabulary.ts'

export interface OutputLimit {
  readonly of: 'tokens' | 'completions'
  /** `extra_body.num_predict` */
  readonly path: string
  /** undefined: the value is not an integer from 1 to MOST_TOKENS. */
  readonly count: number | undefined
}

export const MOST_TOKENS = 10_000_000

/** The limits that nearly every server reads. A server may ignore all others, so they can raise the expected output, and not lower it. */
const CERTAIN: ReadonlySet<string> = new Set(['max_tokens', 'max_completion_tokens'])

/** Names as `plainName` writes them. A limit of the input is none of the output. */
const TOKENS =
  /^(?:max(?!\w*(?:input|prompt|context))\w*token\w*|(?:num|n)predict|max(?:gen|generation|output)(?:len|length)|tokenstogenerate)$/
const COMPLETIONS = /^(?:n|bestof|(?:num|n)(?:returnsequences|completions|generations|outputs|samples)|candidatecount)$/
/** `maxLength` is a word of JSON Schema. */
const MAX_LENGTH = 'max_length'

const NO_OPTIONS: ReadonlySet<string> = new Set([
  ...['model', 'stream', 'stream_options', 'user'],
  ...['messages', 'prediction', 'metadata', 'governance', 'documents', 'chat_template_kwargs', 'logit_bias'],
  ...['tools', 'tool_choice', 'functions', 'response_format', 'format'],
  ...['json_schema', 'schema', 'guided_json', 'structured_outputs'],
])

/** Servers have the same names with other signs, and servers written in Go read them in any case, also with the letters ſ and K. */
const plainName = (name: string): string => name.replaceAll(/[_-]/g, '').toUpperCase().toLowerCase()

function kindOf(name: string): OutputLimit['of'] | undefined {
  if (CERTAIN.has(name)) return 'tokens'
  if (name === 'n') return 'completions'
  if (VOCABULARY.has(name)) return undefined
  const plain = plainName(name)
  if (TOKENS.test(plain) || name.toLowerCase() === MAX_LENGTH) return 'tokens'
  return COMPLETIONS.test(plain) ? 'completions' : undefined
}

/** Lenient servers read numbers in texts as well. */
function countOf(value: unknown): number | undefined {
  const written = typeof value === 'string' && /^\d{1,8}$/.test(value) ? value : keptNumber(value)
  const count = typeof value === 'number' ? value : Number(written)
  return Number.isInteger(count) && count >= 1 && count <= MOST_TOKENS ? count : undefined
}

/** The same fields with other values of their limits, at any depth: shares the objects that do not change. */
export function mapOutputLimits<T>(value: T, map: (limit: OutputLimit, value: unknown) => unknown, at = ''): T {
  if (Array.isArray(value)) {
    const items: unknown[] = value.map((item: unknown, index) => mapOutputLimits(item, map, `${at}[${index}]`))
    return items.some((item, index) => item !== value[index]) ? (items as T) : value
  }
  if (!isObject(value)) return value
  let changed: Record<string, unknown> | undefined
  for (const name of Object.keys(value)) {
    const field = value[name]
    if (!isSet(field) || NO_OPTIONS.has(name)) continue
    const isNested = typeof field === 'object' && keptNumber(field) === undefined
    const kind = isNested ? undefined : kindOf(name)
    if (!isNested && kind === undefined) continue
    const path = at === '' ? name : `${at}.${name}`
    const next = kind ? map({ of: kind, path, count: countOf(field) }, field) : mapOutputLimits(field, map, path)
    if (next === field) continue
    changed ??= { ...value }
    changed[name] = next
  }
  return (changed as T | undefined) ?? value
}

export function readOutputLimits(fields: Fields): readonly OutputLimit[] {
  const limits: OutputLimit[] = []
  mapOutputLimits(fields, (limit, value) => {
    limits.push(limit)
    return value
  })
  return limits
}

/** The largest limit of this kind; undefined: there is none. Each server reads only some of them. */
export function largestLimit(limits: readonly OutputLimit[], kind: OutputLimit['of']): number | undefined {
  const counts = limits.flatMap(({ of, count }) => (of === kind && count !== undefined ? count : []))
  return counts.length === 0 ? undefined : Math.max(...counts)
}

export const hasCertainLimit = (parameters: Fields): boolean => [...CERTAIN].some((name) => isSet(parameters[name]))

/** `bound`: the limit that policies set. `unlimited`: the tokens of a completion without a limit. */
export function mostOutputTokens(parameters: Fields, bound: number | undefined, unlimited: number): number {
  const limits = readOutputLimits(parameters)
  const requested = largestLimit(limits, 'tokens') ?? 0
  const longest = hasCertainLimit(parameters) ? requested : Math.max(requested, bound ?? unlimited)
  return Math.min(longest, bound ?? Number.POSITIVE_INFINITY) * (largestLimit(limits, 'completions') ?? 1)
}
