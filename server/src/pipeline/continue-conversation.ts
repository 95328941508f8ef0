import { expiryLimit, loadConversation, type ResponseOwner, sumStoredBytes } from '../domains/responses/stored-response-store.ts'
import { GatehouseError } from '../errors.ts'
import type { Db } from '../platform/db/database.ts'
import type { Clock } from '../platform/lib/clock.ts'
import type { SecretBox } from '../platform/lib/secret-box.ts'
import { refuse, type Stop } from '../shared/outcome.ts'
import type { Application } from '../shared/principal.ts'
import { type IncomingRequest, parseBody, withCollectedTexts } from './request.ts'
import type { Admitted, Caller, Identity } from './stage-results.ts'

export interface ConversationDeps {
  readonly db: Db
  readonly clock: Clock
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

/** After stage 3, because only the same user may continue a response; before stage 4: policies see the whole conversation. */
export async function continueConversation(
  incoming: Pick<IncomingRequest, 'body' | 'parse'>,
  caller: Caller,
  admitted: Admitted,
  identity: Identity,
  { db, clock, responseBox, jsonDepth }: ConversationDeps,
): Promise<Admitted | Stop<never>> {
  const { continues, toStored } = admitted.request
  const { application } = caller
  if (toStored && (await isFull(db, application))) return refuse('VALIDATION_ERROR', FULL)
  if (!continues) return admitted
  const limits = { ...continues, expired: expiryLimit(application, clock.now()) }
  const loaded = await loadConversation(db, responseOwner(caller, identity), continues.responseId, limits, responseBox)
  if (loaded.kind === 'missing') return refuse('VALIDATION_ERROR', NOT_FOUND)
  if (loaded.kind === 'too_large') return refuse('PAYLOAD_TOO_LARGE', { param: PARAM, message: TOO_LARGE })
  const parsed = parseBody(incoming, application, jsonDepth, loaded.contents)
  if (!parsed.ok) return refuse(parsed.code ?? 'VALIDATION_ERROR', parsed.problem)
  return { ...admitted, ...withCollectedTexts(parsed.request), continuedId: continues.responseId }
}

const BYTES_PER_MEGABYTE = 1_000_000

/** Asked before the model is, so that no paid answer is lost. Concurrent requests may exceed it by their own responses. */
async function isFull(db: Db, { id, workspaceId, settings }: Application): Promise<boolean> {
  try {
    const bytes = await sumStoredBytes(db, { workspaceId, applicationId: id })
    return bytes >= settings.responses.max_megabytes * BYTES_PER_MEGABYTE
  } catch (cause) {
    throw new GatehouseError('UNAVAILABLE', { message: 'The response could not be stored. Try again.' }, cause)
  }
}

const FULL = {
  param: 'store',
  message:
    'store: The stored responses of this Application have reached their quota (settings.responses.max_megabytes). Send store: false, delete stored responses, or ask an operator for a higher quota or a shorter retention (settings.responses.retention_days).',
  details: { reason: 'stored_responses_full' },
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
