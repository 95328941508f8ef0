import type { Fields } from '../../platform/lib/untrusted-json.ts'
import { CARRIED_FIELDS, NAMESPACED_NAMES } from '../../shared/original-request.ts'
import { withAddedTexts } from '../added-texts.ts'
import { mergeChanges } from '../merge-changes.ts'
import type { UpstreamRequest } from '../upstream-dialect.ts'
import { withTextResults } from './text-results.ts'

/**
 * The body of a chat request, without the fields that say how the response is sent. A body of this API is edited in place: the order of its
 * fields, its null values and its numbers stay as the client wrote them.
 */
export function chatBody({ model, messages, parameters, added, original }: UpstreamRequest): Fields {
  const source = original?.dialect === 'openai-chat' ? original : undefined
  const sent = source ? editMessages(messages, source.messages, source.body.messages as readonly Fields[]) : messages
  const complete = added ? withAddedTexts(sent as UpstreamRequest['messages'], added) : sent
  return {
    ...(source && editFields(parameters, source.parameters, source.body)),
    ...(!source && parameters),
    ...LEFT_OUT,
    model,
    // A client of this API knows what its provider reads.
    messages: source ? complete : withTextResults(complete as UpstreamRequest['messages']),
  }
}

/** Fields that the gateway carries out itself, and fields that only other dialects read. */
const LEFT_OUT = {
  stream_options: undefined,
  governance: undefined,
  reasoning_included: undefined,
  [NAMESPACED_NAMES]: undefined,
  [CARRIED_FIELDS]: undefined,
}

type Messages = readonly Fields[]

const editMessages = (messages: Messages, before: Messages, written: Messages): Messages =>
  messages === before
    ? written
    : messages.map((message, index) => mergeChanges(written[index] ?? message, before[index], message) as Fields)

/** The fields in the order of the client, then those that the gateway has added. */
const editFields = (parameters: Fields, before: Fields, written: Fields): Fields => ({
  ...(parameters === before
    ? written
    : Object.fromEntries(
        Object.entries(written).map(([name, value]) => [name, mergeChanges(value, before[name], parameters[name])]),
      )),
  ...Object.fromEntries(Object.entries(parameters).filter(([name]) => !Object.hasOwn(written, name))),
})
