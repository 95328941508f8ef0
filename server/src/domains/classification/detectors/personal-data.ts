import type { Detector } from '../detector.ts'
import { birthDate } from './birth-date.ts'
import { email } from './email.ts'
import { iban } from './iban.ts'
import { ip } from './ip.ts'
import { nationalId } from './national-id.ts'
import { paymentCard } from './payment-card.ts'
import { person } from './person.ts'
import { phone } from './phone.ts'

export const PERSONAL_DATA: readonly Detector[] = [email, phone, paymentCard, iban, nationalId, ip, person, birthDate]
