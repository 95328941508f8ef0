import type { Completion, CompletionHead } from '../../shared/completion.ts'
import type { GovernanceBlock, GrowingEncoder } from '../client-dialect.ts'
import { pieces } from '../pieces.ts'
import type { Fields } from './fields.ts'
import type { MessageItem, OutputItem, ReasoningItem, RefusalPart, TextPart } from './items.ts'
import type { ResponseObject } from './response.ts'

const DONE = 'data: [DONE]\n\n'

type Event = readonly [type: string, fields: Fields]

/** `[DONE]` is the last event (https://www.openresponses.org/specification). OpenAI’s clients stop at it or at the response before. */
export function* responseEvents(response: ResponseObject): Generator<string> {
  const write = eventWriter()
  for (const each of [...startEvents(response), ...eventsAfterStart(response)]) yield write(each)
  yield DONE
}

function eventWriter(): (event: Event) => string {
  let sequence_number = 0
  return ([type, fields]) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence_number++, ...fields })}\n\n`
}

function startEvents(response: ResponseObject): readonly Event[] {
  const started = { ...response, status: 'in_progress', completed_at: null, incomplete_details: null, output: [], usage: null }
  return [
    ['response.created', { response: started }],
    ['response.in_progress', { response: started }],
  ]
}

/** `sent`: characters of the first text that were sent before, with the events that begin it. */
function* eventsAfterStart(response: ResponseObject, sent = 0): Generator<Event> {
  for (const [output_index, item] of response.output.entries()) {
    const before = output_index === 0 ? sent : 0
    const at = ([type, fields]: Event): Event => [type, { item_id: item.id, output_index, ...fields }]
    if (before === 0) yield ['response.output_item.added', { output_index, item: startOf(item) }]
    for (const each of itemEvents(item, before)) yield at(each)
    yield ['response.output_item.done', { output_index, item }]
  }
  yield [`response.${response.status}`, { response }]
}

export function growingResponse(
  head: CompletionHead,
  governance: GovernanceBlock,
  responseOf: (completion: Completion, governance: GovernanceBlock) => ResponseObject,
): GrowingEncoder {
  const message = { role: 'assistant', content: '' } as const
  const empty: Completion = { ...head, object: 'chat.completion', choices: [{ index: 0, message, finish_reason: '' }] }
  const response = responseOf(empty, governance)
  const [item] = response.output
  const ofItem = { item_id: item?.id, output_index: 0, content_index: 0 }
  const write = eventWriter()
  let sent = 0
  const start = (): Event[] => [
    ...startEvents(response),
    ...(item ? [['response.output_item.added', { output_index: 0, item: startOf(item) }] as const] : []),
    ['response.content_part.added', { ...ofItem, part: EMPTY_TEXT }],
  ]
  return {
    text(piece) {
      const deltas = Array.from(
        pieces(piece),
        (delta): Event => ['response.output_text.delta', { ...ofItem, logprobs: [], delta }],
      )
      const events = sent === 0 ? [...start(), ...deltas] : deltas
      sent += piece.length
      return events.map(write).join('')
    },
    *rest(completion, final) {
      for (const each of eventsAfterStart(responseOf(completion, final), sent)) yield write(each)
      yield DONE
    },
    fail({ error }) {
      const { code, message } = error
      const failed = { ...response, status: 'failed', output: [], error: { code, message } }
      return write(['response.failed', { response: failed }]) + write(['error', { code, message, param: null, error }])
    },
  }
}

const EMPTY_TEXT: TextPart = { type: 'output_text', text: '', annotations: [], logprobs: [] }

function startOf(item: OutputItem): Fields {
  if (item.type === 'message') return { ...item, status: 'in_progress', content: [] }
  if (item.type === 'function_call') return { ...item, status: 'in_progress', arguments: '' }
  if (item.type === 'custom_tool_call') return { ...item, status: 'in_progress', input: '' }
  if (item.type === 'tool_search_call') return { ...item, status: 'in_progress' }
  return { ...item, summary: [], ...(item.content && { content: [] }) }
}

function itemEvents(item: OutputItem, sent: number): Iterable<Event> {
  if (item.type === 'message') return messageEvents(item, sent)
  if (item.type === 'reasoning') return reasoningEvents(item)
  if (item.type === 'tool_search_call') return []
  return item.type === 'function_call'
    ? textEvents('response.function_call_arguments', item.arguments, {}, { name: item.name, arguments: item.arguments })
    : textEvents('response.custom_tool_call_input', item.input, {}, { input: item.input })
}

/** `fields` are in each of the events. */
function* textEvents(name: string, text: string, fields: Fields, done: Fields): Generator<Event> {
  for (const delta of pieces(text)) yield [`${name}.delta`, { ...fields, delta }]
  yield [`${name}.done`, { ...fields, ...done }]
}

function* messageEvents({ content }: MessageItem, sent: number): Generator<Event> {
  for (const [content_index, part] of content.entries()) {
    const before = content_index === 0 ? sent : 0
    if (before === 0) yield ['response.content_part.added', { content_index, part: emptyPart(part) }]
    if (part.type === 'refusal') {
      yield* textEvents('response.refusal', part.refusal, { content_index }, { refusal: part.refusal })
    } else {
      const fields = { content_index, logprobs: [] }
      yield* textEvents('response.output_text', part.text.slice(before), fields, { text: part.text, ...logprobs(part) })
      for (const [annotation_index, annotation] of part.annotations.entries()) {
        yield ['response.output_text.annotation.added', { content_index, annotation_index, annotation }]
      }
    }
    yield ['response.content_part.done', { content_index, part }]
  }
}

const logprobs = ({ logprobs }: TextPart): Fields => ({ logprobs })
const emptyPart = (part: TextPart | RefusalPart): Fields =>
  part.type === 'refusal' ? { ...part, refusal: '' } : { ...part, text: '', annotations: [], logprobs: [] }

function* reasoningEvents({ summary, content = [] }: ReasoningItem): Generator<Event> {
  for (const [summary_index, part] of summary.entries()) {
    yield ['response.reasoning_summary_part.added', { summary_index, part: { ...part, text: '' } }]
    yield* textEvents('response.reasoning_summary_text', part.text, { summary_index }, { text: part.text })
    yield ['response.reasoning_summary_part.done', { summary_index, part }]
  }
  for (const [content_index, part] of content.entries()) {
    yield ['response.content_part.added', { content_index, part: { ...part, text: '' } }]
    yield* textEvents('response.reasoning_text', part.text, { content_index }, { text: part.text })
    yield ['response.content_part.done', { content_index, part }]
  }
}
