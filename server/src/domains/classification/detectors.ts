import type { ReportFault } from '../../shared/fault.ts'
import type { Detector } from './detector.ts'
import { apiKey } from './detectors/api-key.ts'
import { assignment } from './detectors/assignment.ts'
import { birthDate } from './detectors/birth-date.ts'
import { connectionString } from './detectors/connection-string.ts'
import { email } from './detectors/email.ts'
import { hiddenText } from './detectors/hidden-text.ts'
import { iban } from './detectors/iban.ts'
import { ip } from './detectors/ip.ts'
import { nationalId } from './detectors/national-id.ts'
import { paymentCard } from './detectors/payment-card.ts'
import { person } from './detectors/person.ts'
import { phone } from './detectors/phone.ts'
import { privateKey } from './detectors/private-key.ts'
import { promptInjection } from './detectors/prompt-injection.ts'
import { token } from './detectors/token.ts'

export const PERSONAL_DATA: readonly Detector[] = [email, phone, paymentCard, iban, nationalId, ip, person, birthDate]
export const SECRETS: readonly Detector[] = [privateKey, connectionString, apiKey, token, assignment]

/** The detectors that scan all texts. */
export const DETECTORS: readonly Detector[] = [...PERSONAL_DATA, ...SECRETS, promptInjection, hiddenText]

/** Copies of the detectors that additionally report their failures and times. `reportTime`: with the detector's name and milliseconds. */
export const withFaultReports = (
  detectors: readonly Detector[],
  report: ReportFault,
  reportTime?: (name: string, ms: number) => void,
): readonly Detector[] =>
  detectors.map((detector) =>
    Object.assign(Object.create(detector) as Detector, {
      original: detector,
      reportFailure: (how: 'threw' | 'overran', error?: unknown) => report({ kind: 'detector', name: detector.name, how, error }),
      ...(reportTime && { reportTime: (ms: number) => reportTime(detector.name, ms) }),
    }),
  )
