import { type Fields, isObject } from '../../platform/lib/untrusted-json.ts'
import type { UpstreamDialect } from '../upstream-dialect.ts'
import { EventCollector } from './upstream-events.ts'
import { encodeRequest } from './upstream-request.ts'
import { readMessage } from './upstream-response.ts'

const VERSION = 'bedrock-2023-05-31'

/**
 * The Messages API as the body of InvokeModel of Amazon Bedrock, whose path names the model:
 * https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages.html. `betas`: the value of the
 * declared header `anthropic-beta`, which stands in the body here. Those of clients are left out, because Bedrock refuses a request with one
 * that the model does not know.
 */
export const bedrockUpstream = (betas: string | undefined): UpstreamDialect => ({
  encode: (request) => encodeRequest(request, (body) => toInvokeBody(body, namesOf(betas))),
  collect: () => new EventCollector(),
  read: readMessage,
})

const namesOf = (betas = ''): readonly string[] => betas.split(',').flatMap((name) => name.trim() || [])

/**
 * Bedrock refuses the lifetime of a cache entry and a break point of the request as a whole. Both are left out, because they change the
 * price and not the completion (decision 0006).
 */
function toInvokeBody({ model: _, stream: _stream, cache_control: _cached, ...body }: Fields, betas: readonly string[]): Fields {
  const { tools, system, messages } = body
  return {
    anthropic_version: VERSION,
    ...(betas.length > 0 && { anthropic_beta: betas }),
    ...body,
    ...(Array.isArray(tools) && { tools: tools.map(withoutLifetime) }),
    ...(Array.isArray(system) && { system: system.map(withoutLifetime) }),
    ...(Array.isArray(messages) && { messages: messages.map(withoutLifetime) }),
  }
}

/** A tool, a block or a message without the lifetime of its break points. Arguments of calls and schemas stay as they are. */
function withoutLifetime(block: unknown): unknown {
  if (!isObject(block)) return block
  const { cache_control: control, content } = block
  return {
    ...block,
    ...(isObject(control) && { cache_control: { type: control.type } }),
    ...(Array.isArray(content) && { content: content.map(withoutLifetime) }),
  }
}
