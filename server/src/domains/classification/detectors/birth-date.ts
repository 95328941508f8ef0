import type { Finding } from '../../../shared/finding.ts'
import type { Detector } from '../detector.ts'
import { isLabelled, LABEL_REACH, labels } from '../text/label.ts'
import { eachMatch } from '../text/matches.ts'

const MONTH =
  '(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mai|okt|dez|märz|ene|abr|ago|dic|fév|avr|juin|juil|août|gen|mag|giu|lug|set|ott)'
const NUMERIC = String.raw`\d{1,2}[./-]\d{1,2}[./-](?:\d{4}|\d{2})|\d{4}[./-]\d{1,2}[./-]\d{1,2}`
const SPOKEN = String.raw`\d{1,2}(?:st|nd|rd|th|\.|er)? (?:of |de )?${MONTH}\p{L}{0,8}\.?,? (?:de )?\d{4}|${MONTH}\p{L}{0,8}\.? \d{1,2}(?:st|nd|rd|th)?,? \d{4}`
const DATE = new RegExp(String.raw`(?<![\p{L}\d])(?:(?<numeric>${NUMERIC})|${SPOKEN})(?!\d)`, 'giu')

const LABELS = labels(
  `date of birth, dob, d o b, birth date, birthdate, birthday, geburtsdatum, geburtstag, date de naissance, fecha de nacimiento,
  data di nascita, data de nascimento, geboortedatum, fødselsdato, födelsedatum, data urodzenia, 生年月日, 出生日期`,
  'is was it s the on my his her their your ist war am est le es el è il é mm dd yyyy jj aaaa tt',
)
/** Labels of numeric dates only: biographies contain "born on 14 March 1879", while forms contain numbers. */
const BORN = labels('born, geboren, geb, né, née, nacido, nacida, nato, nata, nascido, nascida', 'on am le el il em was')

/** Parts of all labels. Without one of them no date is searched. */
const LABEL_HINT = /birth|born|dob|d\.o\.b|geb|geburt|geboor|naiss|née?|nac[ií]|nasc|nat[oa]|urodz|fød|föd|生|出/i

/** The digits of a date: two separators, or a year after a month or a day. Most texts have none, so the search ends here. */
const DATE_HINT = new RegExp(
  String.raw`\d(?:[./-]\d{1,2}[./-]\d|\d{3}(?!\d)(?<=(?:${MONTH}\p{L}{0,8}\.?,?(?: de)?|\d(?:st|nd|rd|th)?,?) \d{4}))`,
  'iu',
)

/** Dates of birth: dates after a label such as "date of birth". */
export const birthDate: Detector = {
  name: 'birth-date',
  reach: 100,
  detect(text) {
    const findings: Finding[] = []
    if (!DATE_HINT.test(text) || !LABEL_HINT.test(text)) return findings
    eachMatch(text, DATE, ({ 0: date, index, groups }) => {
      if (!LABEL_HINT.test(text.slice(Math.max(0, index - LABEL_REACH), index))) return
      if (isLabelled(text, index, LABELS) || (groups?.numeric && isLabelled(text, index, BORN))) {
        findings.push({ type: 'pii.person', start: index, end: index + date.length })
      }
    })
    return findings
  },
}
