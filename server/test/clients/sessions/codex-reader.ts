import { type TProperties, type TSchema, Type } from 'typebox'
import { checker } from '../../../src/platform/lib/schema.ts'

/**
 * Reads a stream by the rules of Codex (`process_responses_event` in codex-rs/codex-api/src/sse/responses.rs, `ResponseItem` in
 * codex-rs/protocol/src/models.rs). Codex skips an item that lacks a field and waits for one that it never gets; here it is an error.
 */
export interface ReadResponse {
  readonly id: string
  /** The items as Codex keeps them: without the fields that it does not know. */
  readonly items: readonly Item[]
  /** The joined deltas. */
  readonly text: string
  readonly usage: { readonly input_tokens: number; readonly output_tokens: number; readonly total_tokens: number }
}

type Item = Readonly<Record<string, unknown>>

const text = Type.String()
const optional = Type.Optional(text)
const integer = Type.Integer()
/** Fields that are not declared are ignored, as by serde. */
const struct = (fields: TProperties) => Type.Object(fields, { additionalProperties: true })
const tagged = (type: string, fields: TProperties) => struct({ type: Type.Literal(type), ...fields })

const KNOWN: Readonly<Record<string, TProperties>> = {
  message: {
    role: text,
    content: Type.Array(tagged('output_text', { text })),
    phase: optional,
  },
  reasoning: {
    summary: Type.Array(tagged('summary_text', { text })),
    content: Type.Optional(Type.Array(tagged('reasoning_text', { text }))),
    encrypted_content: optional,
  },
  function_call: { name: text, namespace: optional, arguments: text, call_id: text },
  custom_tool_call: { name: text, namespace: optional, input: text, call_id: text },
  tool_search_call: { call_id: optional, execution: text, arguments: Type.Unknown() },
}
const STATE = { type: text, id: optional, status: optional }

const USAGE = struct({
  input_tokens: integer,
  input_tokens_details: Type.Optional(struct({ cached_tokens: integer })),
  output_tokens: integer,
  output_tokens_details: Type.Optional(struct({ reasoning_tokens: integer })),
  total_tokens: integer,
})
const readCompleted = parser(struct({ id: text, usage: USAGE }))
const readEvent = parser(
  struct({
    type: text,
    delta: optional,
    item_id: optional,
    call_id: optional,
    summary_index: Type.Optional(integer),
    content_index: Type.Optional(integer),
  }),
)

function parser(schema: TSchema) {
  const check = checker(schema)
  return (value: unknown): Item => {
    const checked = check(value)
    if (checked.ok) return checked.value as Item
    throw new Error(`Codex cannot read ${JSON.stringify(value)}: ${checked.problem.param} ${checked.problem.message}`)
  }
}

function readItem(value: Item): Item {
  const fields = KNOWN[String(value.type)]
  if (!fields) throw new Error(`Codex does not know the item ${JSON.stringify(value)}`)
  const known = { ...STATE, ...fields }
  const item = parser(struct(known))(value)
  return Object.fromEntries(Object.entries(item).filter(([name]) => Object.hasOwn(known, name)))
}

const eventsOf = (stream: string): Item[] =>
  stream.split('\n\n').flatMap((block) => {
    const [, type] = /^event: (.+)$/m.exec(block) ?? []
    const [, data] = /^data: (\{.+)$/m.exec(block) ?? []
    if (!data) return []
    const event = readEvent(JSON.parse(data))
    if (event.type !== type) throw new Error(`The event ${type} has the type ${event.type}`)
    return [event]
  })

export function readCodexStream(stream: string): ReadResponse {
  const [first, ...events] = eventsOf(stream)
  if (first?.type !== 'response.created' || first.response === undefined) throw new Error(`No response.created: ${stream}`)
  const items: Item[] = []
  let joined = ''
  for (const event of events) {
    if (event.type === 'response.output_item.added') readItem(event.item as Item)
    if (event.type === 'response.output_item.done') items.push(readItem(event.item as Item))
    if (event.type === 'response.output_text.delta') joined += event.delta
    requireIndices(event)
    if (event.type === 'response.completed')
      return { ...(readCompleted(event.response) as unknown as ReadResponse), items, text: joined }
    if (event.type === 'response.failed' || event.type === 'response.incomplete') throw new Error(JSON.stringify(event.response))
  }
  throw new Error('stream closed before response.completed')
}

/** Deltas without these fields are lost. */
function requireIndices({ type, ...event }: Item): void {
  const names: Readonly<Record<string, string>> = {
    'response.reasoning_summary_text.delta': 'summary_index',
    'response.reasoning_summary_part.added': 'summary_index',
    'response.reasoning_text.delta': 'content_index',
    'response.custom_tool_call_input.delta': 'item_id',
  }
  const name = names[String(type)]
  if (name !== undefined && event[name] === undefined) throw new Error(`${type} has no ${name}`)
}
