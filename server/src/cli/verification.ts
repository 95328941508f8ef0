import { type Bad, FAULTS } from '../audit/chain-checker.ts'
import type { Verification } from '../audit/verify.ts'

/** How far a log is good, and what the first bad record is. */
export function describeVerification({ ok, records, checkpoints, signedThrough, firstBad }: Verification): string {
  if (!ok && firstBad) return `${records} records good, then ${describeBad(firstBad)}`
  return `${records} records good, ${checkpoints} checkpoints, signed up to record ${signedThrough}`
}

function describeBad({ sequence, through, id, reason }: Bad): string {
  const place = through === undefined ? `record ${sequence}` : `records ${sequence} to ${through}`
  return `${place}${id === null ? '' : ` (${id})`}: ${FAULTS[reason]}`
}
