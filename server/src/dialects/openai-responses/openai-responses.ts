import type { ClientDialect, ResponseEncoder } from '../client-dialect.ts'
import { responseEvents } from './events.ts'
import type { Fields } from './fields.ts'
import { decodeRequest } from './request.ts'
import { toResponse } from './response.ts'

const encoder = (request: Fields): ResponseEncoder => ({
  toJson: (completion, _json, governance) => JSON.stringify(toResponse(completion, request, governance)),
  toEvents: (completion, governance) => responseEvents(toResponse(completion, request, governance)),
})

/** The responses API without stored responses: https://platform.openai.com/docs/api-reference/responses. */
export const openaiResponses: ClientDialect = {
  name: 'openai-responses',
  decode: (body) => {
    const decoded = decodeRequest(body)
    if (!decoded.ok) return decoded
    const { chat, fieldOf, origins, request } = decoded
    return { ok: true, chat, fieldOf, origins, encoder: encoder(request) }
  },
}
