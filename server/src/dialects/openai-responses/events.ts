import { pieces } from '../pieces.ts'
import type { Fields } from './fields.ts'
import type { MessageItem, OutputItem, ReasoningItem, RefusalPart, TextPart } from './items.ts'
import type { ResponseObject } from './response.ts'

/** An event without its number. */
type Event = readonly [type: string, fields: Fields]

/**
 * The events of a response's stream, in the order of the API. The joined deltas of a text equal the text. `[DONE]` is the last event, as
 * Open Responses demands (https://www.openresponses.org/specification). OpenAI's clients stop at it or at the response before it.
 */
export function* responseEvents(response: ResponseObject): Generator<string> {
  let sequence_number = 0
  for (const [type, fields] of events(response)) {
    yield `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number, ...fields })}\n\n`
    sequence_number += 1
  }
  yield 'data: [DONE]\n\n'
}

function* events(response: ResponseObject): Generator<Event> {
  const started = { ...response, status: 'in_progress', completed_at: null, incomplete_details: null, output: [], usage: null }
  yield ['response.created', { response: started }]
  yield ['response.in_progress', { response: started }]
  for (const [output_index, item] of response.output.entries()) {
    yield ['response.output_item.added', { output_index, item: startOf(item) }]
    for (const [type, fields] of itemEvents(item)) yield [type, { item_id: item.id, output_index, ...fields }]
    yield ['response.output_item.done', { output_index, item }]
  }
  yield [`response.${response.status}`, { response }]
}

/** The item before its first delta. */
function startOf(item: OutputItem): Fields {
  if (item.type === 'message') return { ...item, status: 'in_progress', content: [] }
  if (item.type === 'function_call') return { ...item, status: 'in_progress', arguments: '' }
  if (item.type === 'custom_tool_call') return { ...item, status: 'in_progress', input: '' }
  return { ...item, summary: [], ...(item.content && { content: [] }) }
}

function itemEvents(item: OutputItem): Iterable<Event> {
  if (item.type === 'message') return messageEvents(item)
  if (item.type === 'reasoning') return reasoningEvents(item)
  return item.type === 'function_call'
    ? textEvents('response.function_call_arguments', item.arguments, {}, { name: item.name, arguments: item.arguments })
    : textEvents('response.custom_tool_call_input', item.input, {}, { input: item.input })
}

/** The deltas of a text, then the event with all of it. `fields` are in each of them. */
function* textEvents(name: string, text: string, fields: Fields, done: Fields): Generator<Event> {
  for (const delta of pieces(text)) yield [`${name}.delta`, { ...fields, delta }]
  yield [`${name}.done`, { ...fields, ...done }]
}

function* messageEvents({ content }: MessageItem): Generator<Event> {
  for (const [content_index, part] of content.entries()) {
    yield ['response.content_part.added', { content_index, part: emptyPart(part) }]
    if (part.type === 'refusal') {
      yield* textEvents('response.refusal', part.refusal, { content_index }, { refusal: part.refusal })
    } else {
      yield* textEvents(
        'response.output_text',
        part.text,
        { content_index, logprobs: [] },
        { text: part.text, ...logprobs(part) },
      )
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
