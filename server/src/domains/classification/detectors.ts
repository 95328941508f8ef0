import type { ReportFault } from '../../shared/fault.ts'
import type { Detector } from './detector.ts'
import { iban, paymentCard } from './detectors/accounts.ts'
import { email, ip } from './detectors/addresses.ts'
import { apiKey } from './detectors/api-key.ts'
import { assignment } from './detectors/assignment.ts'
import { connectionString, privateKey, token } from './detectors/credentials.ts'
import { hiddenText } from './detectors/hidden-text.ts'
import { nationalId } from './detectors/national-id.ts'
import { birthDate, person } from './detectors/person.ts'
import { phone } from './detectors/phone.ts'
import { promptInjection } from './detectors/prompt-injection.ts'

export const PERSONAL_DATA: readonly Detector[] = [email, phone, paymentCard, iban, nationalId, ip, person, birthDate]
export const SECRETS: readonly Detector[] = [privateKey, connectionString, apiKey, token, assignment]

export const DETECTORS: readonly Detector[] = [...PERSONAL_DATA, ...SECRETS, promptInjection, hiddenText]

export const withFaultReports = (
  detectors: readonly Detector[],
  report: ReportFault,
  reportTime?: (name: string, ms: number) => void,
): readonly Detector[] =>
  detectors.map((detector) =>
    Object.assign(Object.create(detector) as Detector, {
      reportFailure: (how: 'threw' | 'overran', error?: unknown) => report({ kind: 'detector', name: detector.name, how, error }),
      ...(reportTime && { reportTime: (ms: number) => reportTime(detector.name, ms) }),
    }),
  )
