import { Type } from 'typebox'
import { type Position, positionFields } from '../reasoning-position.ts'
import { anyList, type Fields, optionalText, reader, text } from './fields.ts'
import { stateOf } from './reasoning-items.ts'

const readReasoning = reader({
  ...{ type: text, id: optionalText, status: optionalText, summary: Type.Optional(anyList), content: Type.Optional(anyList) },
  ...{ encrypted_content: optionalText, signature: optionalText, format: optionalText },
})
const readSummary = reader({ type: Type.Literal('summary_text'), text })
const readText = reader({ type: Type.Literal('reasoning_text'), text })

/**
 * A reasoning item as `reasoning_details` of the assistant's message, the form in which chat providers give and take reasoning with its
 * encrypted state. Empty if the item says nothing. `position`: what the message has before the item.
 */
export function detailsOf(item: unknown, at: string, position: Position): readonly Fields[] {
  const { id, summary = [], content = [], ...state } = readReasoning(item, at)
  const { data, signature, format } = stateOf(state)
  const own = { ...(id !== undefined && { id }), ...(format !== undefined && { format }), ...positionFields(position) }
  const signed = signature === undefined ? own : { ...own, signature }
  return [
    ...summary.map((part, index) => ({
      type: 'reasoning.summary',
      summary: readSummary(part, `${at}.summary[${index}]`).text,
      ...own,
    })),
    ...content.map((part, index) => ({
      type: 'reasoning.text',
      text: readText(part, `${at}.content[${index}]`).text,
      ...signed,
    })),
    ...(data === undefined ? [] : [{ type: 'reasoning.encrypted', data, ...own }]),
    // A signature without text still has to come back.
    ...(signature !== undefined && content.length === 0 ? [{ type: 'reasoning.text', ...signed }] : []),
  ]
}
