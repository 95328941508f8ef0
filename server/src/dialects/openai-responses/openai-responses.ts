import type { Completion } from '../../shared/completion.ts'
import type { ClientDialect, GovernanceBlock, ResponseEncoder } from '../client-dialect.ts'
import { growingResponse, responseEvents } from './events.ts'
import { type Fields, isObject } from './fields.ts'
import { RESPONSES_FIELDS } from './known-fields.ts'
import { decodeRequest, WITHOUT_HISTORY } from './request.ts'
import { type Asked, toResponse } from './response.ts'
import { toStored } from './stored-input.ts'

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
