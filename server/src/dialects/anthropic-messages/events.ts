import type { Fields } from '../../platform/lib/untrusted-json.ts'
import type { Completion, CompletionHead } from '../../shared/completion.ts'
import type { GovernanceBlock, GrowingEncoder } from '../client-dialect.ts'
import { pieces } from '../pieces.ts'
import { type Block, blocksOf, messageHead, providerFieldsOf, stopOf, usageOf } from './response.ts'

const event = (type: string, fields: Fields): string => `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`

/** The events of a message in the order of the API: https://docs.claude.com/en/docs/build-with-claude/streaming. */
export function* messageEvents(completion: Completion, governance: GovernanceBlock): Generator<string> {
  yield messageStart(completion, governance, providerFieldsOf(completion))
  yield* eventsAfterStart(completion, governance)
}

function messageStart(
  completion: Pick<Completion, 'id' | 'model' | 'usage'>,
  governance: GovernanceBlock,
  others: Fields = {},
): string {
  const { output_tokens_details: _, ...input } = usageOf(completion.usage)
  const head = { ...others, ...messageHead(completion, governance) }
  return event('message_start', { message: { ...head, usage: { ...input, output_tokens: 0 } } })
}

/** `sent`: characters of the first block that were sent before, with its start. */
function* eventsAfterStart(completion: Completion, governance: GovernanceBlock, sent = 0): Generator<string> {
  for (const [index, block] of blocksOf(completion).entries()) {
    const before = index === 0 ? sent : 0
    if (before === 0) yield event('content_block_start', { index, content_block: emptied(block) })
    for (const delta of deltasOf(block, before)) yield event('content_block_delta', { index, delta })
    yield event('content_block_stop', { index })
  }
  // A stream that began before the completion was known could not begin with them.
  const others = sent > 0 ? providerFieldsOf(completion) : {}
  yield event('message_delta', { ...others, delta: stopOf(completion), usage: usageOf(completion.usage), governance })
  yield event('message_stop', {})
}

export function growingMessage(head: CompletionHead, governance: GovernanceBlock): GrowingEncoder {
  let sent = 0
  return {
    text(piece) {
      const start = [messageStart(head, governance), event('content_block_start', { index: 0, content_block: EMPTY_TEXT })]
      const deltas = Array.from(pieces(piece), (text) =>
        event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } }),
      )
      const events = sent === 0 ? [...start, ...deltas] : deltas
      sent += piece.length
      return events.join('')
    },
    rest: (completion, final) => eventsAfterStart(completion, final, sent),
    fail: (envelope) => `event: error\ndata: ${JSON.stringify(envelope)}\n\n`,
  }
}

const EMPTY_TEXT = { type: 'text', text: '' }

function emptied({ block }: Block): Fields {
  if (block.type === 'text') return { ...block, text: '' }
  if (block.type === 'thinking') return { ...block, thinking: '', signature: '' }
  if (block.type === 'tool_use') return { ...block, input: {} }
  return block
}

function* deltasOf({ block, inputJson }: Block, sent: number): Generator<Fields> {
  if (block.type === 'text') for (const text of pieces(String(block.text).slice(sent))) yield { type: 'text_delta', text }
  if (block.type === 'thinking') {
    for (const thinking of pieces(String(block.thinking))) yield { type: 'thinking_delta', thinking }
    yield { type: 'signature_delta', signature: block.signature }
  }
  if (block.type === 'tool_use') yield { type: 'input_json_delta', partial_json: inputJson ?? '{}' }
}
