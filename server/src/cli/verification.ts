import type { Verification } from '../audit/verify.ts'
import { describeBad } from '../audit/vouching.ts'

/** How far a log is good, and what the first bad record is. */
export function describeVerification(verification: Verification): string {
  const { ok, records, checkpoints, signedThrough, acceptedThrough, firstBad } = verification
  const accepted = acceptedThrough ? `; records up to ${acceptedThrough} were accepted as they stood` : ''
  if (!ok && firstBad) return `${records} records good, then ${describeBad(firstBad)}${accepted}`
  return `${records} records good, ${checkpoints} checkpoints, signed up to record ${signedThrough}${accepted}`
}
