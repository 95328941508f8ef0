import type { Completion } from '../../shared/completion.ts'
import type { NewStoredContent } from '../../shared/stored-content.ts'
import type { GovernanceBlock } from '../client-dialect.ts'
import { withoutNulls } from '../field-values.ts'
import type { Fields } from './fields.ts'
import { type Asked, toResponse } from './response.ts'

/** The stored form of a response: the input as the client sent it, and the response as it is sent. */
export function toStored(completion: Completion, asked: Asked, governance: GovernanceBlock): NewStoredContent {
  const response = toResponse(completion, asked, governance, true)
  return { id: response.id, input: itemsOf(asked.request.input), response }
}

/** The items of an input that has been decoded. */
const itemsOf = (input: unknown): readonly Fields[] =>
  typeof input === 'string' ? [{ type: 'message', role: 'user', content: input }] : (input as readonly Fields[])

/** The items of a stored input as the API lists them: each has a type, parts for its text, an id of its own, and a status. */
export function listedItems(responseId: string, input: readonly Fields[]): readonly (Fields & { readonly id: string })[] {
  const suffix = responseId.replace('resp_', '')
  const used = new Set<string>()
  return input.map((stored, index) => {
    const item = withoutNulls(stored)
    const isUnique = typeof item.id === 'string' && item.id !== '' && !used.has(item.id)
    const id = isUnique ? String(item.id) : `item_${suffix}_${index}`
    used.add(id)
    const type = item.type ?? 'message'
    return {
      ...item,
      ...{ id, type },
      // Only reasoning may have none.
      ...(type !== 'reasoning' && { status: item.status ?? 'completed' }),
      ...(type === 'message' && { content: partsOf(item) }),
    }
  })
}

function partsOf({ role, content }: Fields): unknown {
  if (typeof content !== 'string') return content
  return role === 'assistant'
    ? [{ type: 'output_text', text: content, annotations: [] }]
    : [{ type: 'input_text', text: content }]
}
