import type { ClientDialect, ResponseEncoder } from '../client-dialect.ts'
import { responseEvents } from './events.ts'
import { type Fields, isObject } from './fields.ts'
import { decodeRequest, WITHOUT_HISTORY } from './request.ts'
import { toResponse } from './response.ts'
import { toStored } from './stored-input.ts'

const encoder = (request: Fields, isStored: boolean): ResponseEncoder => ({
  toJson: (completion, _json, governance) => JSON.stringify(toResponse(completion, request, governance, isStored)),
  toEvents: (completion, governance) => responseEvents(toResponse(completion, request, governance, isStored)),
})

/** A dry run has no response that could be continued. */
const isDryRun = ({ governance }: Fields): boolean => isObject(governance) && governance.dry_run === true

/** The responses API: https://platform.openai.com/docs/api-reference/responses. */
export const openaiResponses: ClientDialect = {
  name: 'openai-responses',
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
      encoder: encoder(request, isStored),
      store: {
        previousId: request.previous_response_id as string | undefined,
        toStored: isStored ? (completion, governance) => toStored(completion, request, governance) : undefined,
      },
    }
  },
}
