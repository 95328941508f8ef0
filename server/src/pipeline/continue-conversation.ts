import type { Db } from '../db/database.ts'
import { refuse, type Stop } from '../domain/outcome.ts'
import type { Clock } from '../lib/clock.ts'
import type { SecretBox } from '../lib/secret-box.ts'
import { expiryLimit, type ResponseOwner } from '../responses/stored-response.ts'
import { loadConversation } from '../responses/stored-response-store.ts'
import { type IncomingRequest, parseBody, withCollectedTexts } from './request.ts'
import type { Admitted, Caller, Identity } from './stage-results.ts'

export interface ConversationDeps {
  readonly db: Db
  readonly clock: Clock
  /** Seals stored responses. */
  readonly responseBox: SecretBox
  readonly jsonDepth: number
}

/** The only caller that may continue, read and delete what this request stores. */
export const responseOwner = ({ application }: Caller, { user }: Identity): ResponseOwner => ({
  workspaceId: application.workspaceId,
  applicationId: application.id,
  userId: user.id,
  isVerified: user.verified,
})

/**
 * A request that continues a stored response, with the stored conversation before its input. It follows stage 3, because only the same
 * user may continue a response, and precedes stage 4, so that policies see the whole conversation. Other requests stay as they are.
 */
export async function continueConversation(
  incoming: Pick<IncomingRequest, 'body' | 'parse'>,
  caller: Caller,
  admitted: Admitted,
  identity: Identity,
  { db, clock, responseBox, jsonDepth }: ConversationDeps,
): Promise<Admitted | Stop<never>> {
  const { continues } = admitted.request
  if (!continues) return admitted
  const { application } = caller
  const limits = { ...continues, expired: expiryLimit(application, clock.now()) }
  const loaded = await loadConversation(db, responseOwner(caller, identity), continues.responseId, limits, responseBox)
  if (loaded.kind === 'missing') return refuse('VALIDATION_ERROR', NOT_FOUND)
  if (loaded.kind === 'too_large') return refuse('PAYLOAD_TOO_LARGE', { param: PARAM, message: TOO_LARGE })
  const parsed = parseBody(incoming, application, jsonDepth, loaded.contents)
  if (!parsed.ok) return refuse(parsed.code ?? 'VALIDATION_ERROR', parsed.problem)
  return { ...admitted, ...withCollectedTexts(parsed.request), continuedId: continues.responseId }
}

const PARAM = 'previous_response_id'

/** The same for every reason, so that it does not show which responses others have. */
const NOT_FOUND = {
  param: PARAM,
  message:
    'previous_response_id: Previous response not found. It was not stored, is not of this Application and user, or it or a response before it was deleted or has expired. Send the whole conversation in input.',
  details: { reason: 'previous_response_not_found' },
}
const TOO_LARGE =
  'previous_response_id: the stored conversation is larger than a request may be (GATEHOUSE_MAX_BODY_BYTES, GATEHOUSE_MAX_MESSAGES). Begin a new conversation.'
