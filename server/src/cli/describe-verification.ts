import { describeFault } from '../audit/checkpoints/verified-seal.ts'
import type { Verification } from '../audit/verify/verify.ts'
import { counted } from '../lib/counted.ts'

/** Describes a verification: the verified records and the first fault. */
export function describeVerification(verification: Verification): string {
  const { ok, records, checkpoints, signedThrough, acceptedThrough, firstFault } = verification
  const accepted = acceptedThrough ? `; records up to ${acceptedThrough} were accepted by an operator and not checked` : ''
  if (!ok && firstFault) return `${counted(records, 'record')} verified, then a fault: ${describeFault(firstFault)}${accepted}`
  return `${counted(records, 'record')} and ${counted(checkpoints, 'checkpoint')} verified, signed up to record ${signedThrough}${accepted}`
}
