import { type Fields, isObject } from '../../platform/lib/untrusted-json.ts'
import { appendPart, withAddedTexts } from '../added-texts.ts'
import { encodeTranslated } from '../untranslatable.ts'
import type { EncodedRequest, UpstreamRequest } from '../upstream-dialect.ts'
import { editBody } from './upstream-in-place.ts'
import { type AnthropicMessage, encodeMessages } from './upstream-messages.ts'
import { encodeParameters } from './upstream-parameters.ts'
import { encodeTools } from './upstream-tools.ts'

/** https://platform.claude.com/docs/en/api/messages. `adapt` changes the body for a server whose form of the API differs. */
export function encodeRequest(request: UpstreamRequest, adapt: (body: Fields) => Fields = (body) => body): EncodedRequest {
  const { original, stream } = request
  return encodeTranslated(request, 'anthropic-messages', () => {
    const body = original?.dialect === 'anthropic-messages' ? editBody(request, original) : createBody(request)
    return adapt({ ...body, stream })
  })
}

function createBody({ model, messages: chat, parameters, added }: UpstreamRequest): Fields {
  const { tools, tool_choice } = encodeTools(parameters)
  const { system, messages } = encodeMessages(added ? withAddedTexts(chat, added, appendPart) : chat)
  const others = encodeParameters(parameters)
  const isCached = [parameters, ...(tools ?? []), ...system, ...messages.flatMap(({ content }) => content)].some(hasBreakPoint)
  const body = { model, ...others, ...(tool_choice && { tool_choice }) }
  if (isCached) return { ...body, ...(tools && { tools }), ...(system.length > 0 && { system }), messages }
  return {
    ...body,
    ...(tools && { tools: withBreakPoint(tools) }),
    ...(system.length > 0 && { system: withBreakPoint(system) }),
    messages: chat.some(({ role }) => role === 'assistant') ? withTurnBreakPoint(messages, added?.context ?? '') : messages,
  }
}

/** A conversation that goes on is cached up to its last block. Context is not part of the next turn. */
function withTurnBreakPoint(turns: readonly AnthropicMessage[], context: string): readonly AnthropicMessage[] {
  const last = turns.at(-1)
  if (last?.role !== 'user') return turns
  const contextAt = context === '' ? last.content.length : last.content.findIndex(({ text }) => text === context)
  const end = contextAt < 0 ? last.content.length : contextAt
  const content = [...withBreakPoint(last.content.slice(0, end)), ...last.content.slice(end)]
  return [...turns.slice(0, -1), { ...last, content }]
}

/** Whether the client has set a break point of the prompt cache, also inside a tool result. */
const hasBreakPoint = ({ cache_control, content }: Fields): boolean =>
  isObject(cache_control) || (Array.isArray(content) && content.some(hasBreakPoint))

/** The last block ends the part of the prompt that the provider may cache. Clients of the chat API cannot say so. */
const withBreakPoint = (blocks: readonly Fields[]): readonly Fields[] =>
  blocks.map((block, index) => (index < blocks.length - 1 ? block : { ...block, cache_control: { type: 'ephemeral' } }))
