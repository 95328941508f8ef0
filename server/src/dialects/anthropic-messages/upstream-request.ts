import { isObject } from '../../lib/untrusted-json.ts'
import type { EncodedRequest, UpstreamRequest } from '../upstream-dialect.ts'
import { type Block, UntranslatableField } from './upstream-fields.ts'
import { encodeMessages } from './upstream-messages.ts'
import { encodeParameters } from './upstream-parameters.ts'
import { encodeTools } from './upstream-tools.ts'

/**
 * A chat request as a request of the Messages API: https://platform.claude.com/docs/en/api/messages. `adapt` changes the body for a server
 * whose form of the API differs.
 */
export function encodeRequest(
  { model, messages, parameters, addedMessages, stream }: UpstreamRequest,
  adapt: (body: Block) => Block = (body) => body,
): EncodedRequest {
  try {
    const { tools, tool_choice } = encodeTools(parameters)
    const { system, messages: turns } = encodeMessages(messages)
    const others = encodeParameters(parameters)
    const isCached = [parameters, ...(tools ?? []), ...system, ...turns.flatMap(({ content }) => content)].some(hasBreakPoint)
    const body = {
      model,
      ...others,
      ...(tools && { tools: isCached ? tools : withBreakPoint(tools) }),
      ...(tool_choice && { tool_choice }),
      // The gateway's own messages may change with each request, and a changed block before the break point makes it useless.
      ...(system.length > 0 && { system: isCached || addedMessages > 0 ? system : withBreakPoint(system) }),
      messages: turns,
      stream,
    }
    return { ok: true, body: JSON.stringify(adapt(body)) }
  } catch (error) {
    if (!(error instanceof UntranslatableField)) throw error
    return { ok: false, unsupported: error.unsupported }
  }
}

/** Whether the client has set a break point of the prompt cache, also inside a tool result. */
const hasBreakPoint = ({ cache_control, content }: Block): boolean =>
  isObject(cache_control) || (Array.isArray(content) && content.some(hasBreakPoint))

/** The last block ends the part of the prompt that the provider may cache. Clients of the chat API cannot say so. */
const withBreakPoint = (blocks: readonly Block[]): readonly Block[] =>
  blocks.map((block, index) => (index < blocks.length - 1 ? block : { ...block, cache_control: { type: 'ephemeral' } }))
