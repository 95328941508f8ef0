import { type Fields, isObject, isSet, readExtraFields, textOf } from '../../platform/lib/untrusted-json.ts'
import { RefusedField } from '../client-fields.ts'
import { hasOnly, withoutNulls } from '../field-values.ts'
import { words } from '../known-fields.ts'
import type { CompletionDefaults } from '../upstream-dialect.ts'
import { detailsOf, RESPONSES_FORMAT } from './reasoning-items.ts'
import { chatName, TOOL_SEARCH } from './tools.ts'

export interface Output {
  readonly text: string
  readonly refusal: string
  readonly calls: readonly Fields[]
  readonly thoughts: readonly string[]
  readonly details: readonly Fields[]
  readonly annotations: readonly Fields[]
  readonly logprobs: readonly Fields[]
  readonly phases: readonly (string | undefined)[]
}

type Draft = { -readonly [Name in keyof Output]: Output[Name] extends readonly (infer Item)[] ? Item[] : Output[Name] }
/** Returns false if the item or part is malformed. */
type Add = (value: Fields, output: Draft) => boolean

const MAX_ITEMS = 256
const CALL_FIELDS = words('id type status call_id name namespace arguments input caller function custom index')

const CALLS = { function_call: call, custom_tool_call: call, tool_search_call: search }
const ITEMS: Readonly<Record<string, Add>> = { message, reasoning, ...CALLS }
const PARTS: Readonly<Record<string, Add>> = { output_text: textPart, refusal: refusalPart }

/** Returns undefined if an item is malformed or unknown. */
export function readOutput(items: readonly unknown[], { newId }: Pick<CompletionDefaults, 'newId'>): Output | undefined {
  const output: Draft = {
    ...{ text: '', refusal: '' },
    ...{ calls: [], thoughts: [], details: [], annotations: [], logprobs: [], phases: [] },
  }
  if (items.length > MAX_ITEMS || !items.every((item) => addByType(ITEMS, item, output))) return undefined
  return { ...output, calls: output.calls.map((call) => (call.id === '' ? { ...call, id: newId('call') } : call)) }
}

function addByType(adders: Readonly<Record<string, Add>>, value: unknown, output: Draft): boolean {
  if (!isObject(value) || typeof value.type !== 'string' || !Object.hasOwn(adders, value.type)) return false
  return adders[value.type]?.(value, output) === true
}

function message(item: Fields, output: Draft): boolean {
  const { role, content, phase } = item
  const isKnown = hasOnly(item, ['id', 'type', 'status', 'role', 'content', 'phase'])
  if (role !== 'assistant' || !Array.isArray(content) || content.length > MAX_ITEMS || !isKnown) return false
  if (isSet(phase) && typeof phase !== 'string') return false
  // Texts of two phases are two messages.
  const isOther = output.phases.at(-1) !== (phase ?? undefined)
  if (isOther && output.text !== '' && content.some(hasText)) output.text += BETWEEN_PHASES
  output.phases.push((phase as string | null) ?? undefined)
  return content.every((part: unknown) => addByType(PARTS, part, output))
}

const BETWEEN_PHASES = '\n\n'
const hasText = (part: unknown): boolean => isObject(part) && textOf(part.text) !== ''

function textPart(part: Fields, output: Draft): boolean {
  const { text, annotations = [], logprobs = [] } = part
  if (typeof text !== 'string' || !hasOnly(part, ['type', 'text', 'annotations', 'logprobs'])) return false
  const marks = listOf(annotations)?.map((annotation) => annotationOf(annotation, output.text.length))
  const tokens = listOf(logprobs)?.map(logprobOf)
  if (!marks?.every(isSet) || !tokens?.every(isSet)) return false
  output.text += text
  // Arguments are on the stack, so a long list must not be spread into a call.
  for (const mark of marks as Fields[]) output.annotations.push(mark)
  for (const token of tokens as Fields[]) output.logprobs.push(token)
  return true
}

const listOf = (value: unknown): readonly unknown[] | undefined => (Array.isArray(value) ? value : isSet(value) ? undefined : [])

/** `before`: length of the text before the part, from which the annotation counts. */
function annotationOf(value: unknown, before: number): Fields | undefined {
  const annotation = isObject(value) ? readExtraFields(value, []) : undefined
  if (annotation?.type !== 'url_citation') return annotation
  const { type, ...url_citation } = annotation
  const moved = ['start_index', 'end_index'].flatMap((name) =>
    typeof url_citation[name] === 'number' ? [[name, url_citation[name] + before]] : [],
  )
  return { type, url_citation: { ...url_citation, ...Object.fromEntries(moved) } }
}

/** A token's probability, rebuilt from fields that cannot nest. */
function logprobOf(value: unknown): Fields | undefined {
  const token = tokenOf(value)
  if (!token) return undefined
  const alternatives = listOf((value as Fields).top_logprobs)?.map(tokenOf)
  return alternatives?.every(isSet) ? { ...token, top_logprobs: alternatives } : undefined
}

function tokenOf(value: unknown): Fields | undefined {
  if (!isObject(value) || typeof value.token !== 'string' || typeof value.logprob !== 'number') return undefined
  return { token: value.token, logprob: value.logprob }
}

function refusalPart(part: Fields, output: Draft): boolean {
  if (typeof part.refusal !== 'string' || !hasOnly(part, ['type', 'refusal'])) return false
  output.refusal += part.refusal
  return true
}

/** The items have the fields of those that clients send back, so they are read in the same way. */
function reasoning(item: Fields, output: Draft): boolean {
  try {
    const details = detailsOf(item, '', { characters: output.text.length, calls: output.calls.length })
    for (const detail of details) {
      output.details.push({ format: RESPONSES_FORMAT, ...detail })
      const text = detail.text ?? detail.summary
      if (typeof text === 'string' && text !== '') output.thoughts.push(text)
    }
    return true
  } catch (error) {
    if (error instanceof RefusedField) return false
    throw error
  }
}

/** Empty: the server sends none (`readOutput`). */
const idOf = ({ call_id: id }: Fields): string | undefined => (typeof id === 'string' || !isSet(id) ? textOf(id) : undefined)

/** Further fields of a call stay with it: providers sign calls with fields of their own. */
function call(item: Fields, output: Draft): boolean {
  const { type, namespace, caller } = item
  const id = idOf(item)
  const name = typeof item.name === 'string' ? chatName(item.name, namespace) : undefined
  const isCustom = type === 'custom_tool_call'
  const input = isCustom ? item.input : item.arguments
  const isDirect = !isSet(caller) || (isObject(caller) && caller.type === 'direct')
  const extras = readExtraFields(item, CALL_FIELDS)
  if (id === undefined || name === undefined || typeof input !== 'string' || !isDirect || !extras) return false
  const form = isCustom ? { type: 'custom', custom: { name, input } } : { type: 'function', function: { name, arguments: input } }
  output.calls.push({ id, ...form, ...withoutNulls(extras) })
  return true
}

function search(item: Fields, output: Draft): boolean {
  const { execution, arguments: query } = item
  const id = idOf(item)
  const read = isObject(query) ? readExtraFields(query, []) : undefined
  const isKnown = hasOnly(item, ['id', 'type', 'status', 'call_id', 'execution', 'arguments'])
  if (id === undefined || execution !== 'client' || !read || !isKnown) return false
  output.calls.push({ id, type: 'function', function: { name: TOOL_SEARCH, arguments: JSON.stringify(read) } })
  return true
}
