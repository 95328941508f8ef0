import { describeFault } from '../../domains/audit/checkpoints/verified-seal.ts'
import type { Verification } from '../../domains/audit/verify/verify.ts'
import { counted } from '../../platform/lib/counted.ts'

const CHECK = 'start a server, or look for the failures of its job `chain pending audit records`'

/** Describes a verification: the verified records, the first fault, and records that a server has not added to the log. */
export function describeVerification(verification: Verification): string {
  const { ok, records, checkpoints, signedThrough, acceptedThrough, waiting, firstFault } = verification
  const accepted = acceptedThrough ? `; records up to ${acceptedThrough} were accepted by an operator and not checked` : ''
  const late = waiting === undefined ? '' : `; ${waitingText(waiting)} in the log for more than a minute: ${CHECK}`
  if (!ok && firstFault)
    return `${counted(records, 'record')} verified, then a fault: ${describeFault(firstFault)}${accepted}${late}`
  return `${counted(records, 'record')} and ${counted(checkpoints, 'checkpoint')} verified, signed up to record ${signedThrough}${accepted}${late}`
}

const waitingText = (count: number): string =>
  count === 1 ? '1 record has waited for its place' : `${count} records have waited for their place`
