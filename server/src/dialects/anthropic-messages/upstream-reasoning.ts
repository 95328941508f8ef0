import { type Fields, isCount, isObject } from '../../platform/lib/untrusted-json.ts'
import { type Position, positionFields } from '../reasoning-position.ts'

// Thinking blocks in the form of the chat API: entries of `reasoning_details`, as OpenRouter defined them. The provider signs thinking and
// requires it back byte for byte and in its place, so an entry has its text, its signature and its position.

const FORMAT = 'anthropic-claude-v1'

interface PlacedBlock extends Position {
  readonly block: Fields
}

/** Undefined: the block is malformed. */
export function detailOf(block: Fields, before: Position): Fields | undefined {
  const position = { format: FORMAT, ...positionFields(before) }
  if (block.type === 'redacted_thinking') {
    return typeof block.data === 'string' ? { type: 'reasoning.encrypted', data: block.data, ...position } : undefined
  }
  const { thinking, signature } = block
  if (typeof thinking !== 'string' || typeof signature !== 'string') return undefined
  return { type: 'reasoning.text', text: thinking, signature, ...position }
}

/** Reasoning of other providers has no signature of this one and is left out. */
export function thinkingBlocks(details: unknown): readonly PlacedBlock[] {
  return Array.isArray(details) ? details.flatMap((detail: unknown) => placedBlock(detail) ?? []) : []
}

function placedBlock(detail: unknown): PlacedBlock | undefined {
  if (!isObject(detail) || (detail.format !== FORMAT && detail.format !== undefined)) return undefined
  const block = blockOf(detail)
  return block && { block, characters: indexOf(detail.start_index), calls: indexOf(detail.call_index) }
}

const indexOf = (value: unknown): number => (isCount(value, Number.MAX_SAFE_INTEGER) ? value : 0)

function blockOf({ type, text, signature, data, format }: Fields): Fields | undefined {
  // Without its format, an encrypted entry may belong to another provider.
  if (type === 'reasoning.encrypted' && typeof data === 'string' && format === FORMAT) return { type: 'redacted_thinking', data }
  if (type !== 'reasoning.text' || typeof text !== 'string' || typeof signature !== 'string') return undefined
  return { type: 'thinking', thinking: text, signature }
}
