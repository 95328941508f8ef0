import { knownFields } from './known-fields.ts'

/** The governance block of a request, which no provider gets (GW-CHAT-4). */
export const GOVERNANCE = knownFields('session_id dry_run review_item_id wait_for_approval_seconds', {
  user: knownFields('id role department attributes'),
})
