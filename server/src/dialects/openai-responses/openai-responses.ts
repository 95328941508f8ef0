import type { Completion } from '../../shared/completion.ts'
import type { NewStoredContent } from '../../shared/stored-content.ts'
import type { ClientDialect, GovernanceBlock, ResponseEncoder } from '../client-dialect.ts'
import { withoutNulls } from '../field-values.ts'
import { growingResponse, responseEvents } from './events.ts'
import { type Fields, isObject } from './fields.ts'
import { RESPONSES_FIELDS } from './known-fields.ts'
import { decodeRequest, WITHOUT_HISTORY } from './request.ts'
import { type Asked, toResponse } from './response.ts'

function encoder(asked: Asked, isStored: boolean): ResponseEncoder {
  const responseOf = (completion: Completion, governance: GovernanceBlock) => toResponse(completion, asked, governance, isStored)
  return {
    toJson: (completion, _json, governance) => JSON.stringify(responseOf(completion, governance)),
    toEvents: (completion, governance) => responseEvents(responseOf(completion, governance)),
    grow: (head, governance) => growingResponse(head, governance, responseOf),
  }
}

/** A dry run has no response that could be continued. */
const isDryRun = ({ governance }: Fields): boolean => isObject(governance) && governance.dry_run === true

/** The responses API: https://platform.openai.com/docs/api-reference/responses. */
export const openaiResponses: ClientDialect = {
  name: 'openai-responses',
  known: RESPONSES_FIELDS,
  decode: (body, context = WITHOUT_HISTORY) => {
    const decoded = decodeRequest(body, context)
    if (!decoded.ok) return decoded
    const { chat, fieldOf, origins, bodyOf, request } = decoded
    const isWanted = request.store === true || (request.store === undefined && context.storing === 'default')
    const isStored = isWanted && !isDryRun(request)
    return {
      ok: true,
      chat,
      fieldOf,
      origins,
      bodyOf,
      encoder: encoder(decoded, isStored),
      store: {
        previousId: request.previous_response_id as string | undefined,
        toStored: isStored ? (completion, governance) => toStored(completion, decoded, governance) : undefined,
      },
    }
  },
}

function toStored(completion: Completion, asked: Asked, governance: GovernanceBlock): NewStoredContent {
  const response = toResponse(completion, asked, governance, true)
  return { id: response.id, input: itemsOf(asked.request.input), response }
}

const itemsOf = (input: unknown): readonly Fields[] =>
  typeof input === 'string' ? [{ type: 'message', role: 'user', content: input }] : (input as readonly Fields[])

/** The items of a stored input as the API lists them: each has a type, an id, a status, and its text as content parts. */
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
