import type { Completion } from '../../domain/completion.ts'
import type { Fields } from '../../lib/untrusted-json.ts'
import type { GovernanceBlock } from '../client-dialect.ts'
import { pieces } from '../pieces.ts'
import { type Block, blocksOf, messageHead, stopOf, usageOf } from './response.ts'

const event = (type: string, fields: Fields): string => `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`

/** The events of a message in the order of the API: https://docs.claude.com/en/docs/build-with-claude/streaming. */
export function* messageEvents(completion: Completion, governance: GovernanceBlock): Generator<string> {
  const usage = usageOf(completion.usage)
  const { output_tokens_details: _, ...input } = usage
  yield event('message_start', { message: { ...messageHead(completion, governance), usage: { ...input, output_tokens: 0 } } })
  for (const [index, block] of blocksOf(completion).entries()) {
    yield event('content_block_start', { index, content_block: emptied(block) })
    for (const delta of deltasOf(block)) yield event('content_block_delta', { index, delta })
    yield event('content_block_stop', { index })
  }
  yield event('message_delta', { delta: stopOf(completion), usage, governance })
  yield event('message_stop', {})
}

function emptied({ block }: Block): Fields {
  if (block.type === 'text') return { ...block, text: '' }
  if (block.type === 'thinking') return { ...block, thinking: '', signature: '' }
  if (block.type === 'tool_use') return { ...block, input: {} }
  return block
}

function* deltasOf({ block, inputJson }: Block): Generator<Fields> {
  if (block.type === 'text') for (const text of pieces(String(block.text))) yield { type: 'text_delta', text }
  if (block.type === 'thinking') {
    for (const thinking of pieces(String(block.thinking))) yield { type: 'thinking_delta', thinking }
    yield { type: 'signature_delta', signature: block.signature }
  }
  if (block.type === 'tool_use') yield { type: 'input_json_delta', partial_json: inputJson ?? '{}' }
}
