import { withoutAccents } from '../../../platform/lib/plain-text.ts'
import type { Finding } from '../../../shared/finding.ts'
import { detector } from '../detector.ts'
import { isLabelled, LABEL_REACH, labels } from '../text/label.ts'
import { addMatches, bounded, eachEnd, eachMatch } from '../text/search.ts'
import { GIVEN_NAMES, PERSON_KEY, THING_KEY, THINGS } from './person-words.ts'

/** A word of a name: capital letter, then letters; or an initial. Not a further label ("Phone:"). */
const WORD = String.raw`(?!\p{L}{1,48} ?[:=])\p{Lu}(?:\.|(?:[\p{L}\p{M}]|['-](?=\p{L})){1,48})`
const PARTICLES = `(?:(?:van|von|vom|zu|de|del|della|der|den|da|di|do|dos|das|du|la|le|bin|ibn|al|el|ten|ter|y|e) ){1,3}`
const NAME = new RegExp(`${WORD}(?: (?:${PARTICLES})?${WORD}){0,4}`, 'uy')

/** Capitalised words that are not names: first words of sentences, and parts of organisations' names. */
const NO_NAME = new Set(
  `He She It The This That These In On At And But Or We They You I If Is Are Was Not No None Yes Please Thank Thanks Hello Hi
  Dear My Your Inc Ltd LLC LLP GmbH AG SA SE PLC BV Corp Corporation Company Co Group Bank University College School Institute
  Foundation Holdings Team Department Dept Support Sales Service Services Office Center Centre Resources Desk Agency
  Association Committee Council Hospital Server System Systems Service Database Cluster Test Demo Example Sample Unknown
  Anonymous Sir Madam Hiring Manager Valued Customer Customers All Colleagues Colleague Friends Friend Editor Admin Administrator User Default Production Apt Suite Unit Street Road Avenue Universe World America President
  Speaker Chairman Secretary Justice Minister Mayor Pepper Null Undefined Build Run Install Deploy Checkout Setup Set Create
  Update Publish Lint Policy API Functions Core Debug Release Check Start Stop Configure Upload Download Cache Code Project
  Workflow Pipeline CI CD Docs Documentation Action Privacy Terms Home Page Menu Settings Button N/A TBD TODO String Number
  Boolean Object Array Text Date Time Name Title Value Type Key Required Optional`.split(/\s+/),
)

const THING_WORDS = `
  product file folder host domain company business project class event brand app application service model table column variable
  function package bucket cluster server db database bank course drug street city country county state team group school hotel
  restaurant game song album movie film book place store plan policy job role field property attribute parameter key tag branch
  repository repo image container method module component library schema index topic queue channel space display nick screen device
  network user generic scientific common trade code nom firmen datei produkt organization organisation org institution firm vendor
  supplier theme prompt step item task skill agent tool bot workflow pipeline report feature test template font color colour recipe dish pet dog cat ship team font style layer node pod namespace environment env`

/** Labels of fields that contain only names of persons. One word is enough. */
const PERSONAL = labels(
  `first name, firstname, last name, lastname, full name, fullname, given name, family name, surname, forename, maiden name, middle name,
  patient, patient name, patientname, customer name, customername, client name, employee name, contact name, contact person,
  account holder, cardholder, card holder, cardholder name, name on card, policy holder, policyholder, insured, next of kin,
  emergency contact, my name, last first, first last, name vorname, nom prénom, apellidos nombre, cognome nome, versicherter, versicherte,
  versicherungsnehmer, kontoinhaber, karteninhaber, antragsteller, patientenname, assuré, asegurado, paziente, pacjent, patiënt, vorname, nachname, vor und nachname, familienname, ansprechpartner, patientin, prénom, prenom,
  nom de famille, nombre completo, apellido, apellidos, nome completo, cognome, sobrenome, voornaam, achternaam, imię, nazwisko, имя, фамилия, 姓名`,
)
/** Labels of fields that can contain other things. At least two words are required. */
const GENERAL = labels(
  `customer, client, employee, contact, attn, attention, recipient, sender, signed, signature, student, guest,
  tenant, passenger, member, caller, beneficiary, applicant, candidate, witness, guardian, spouse, husband, wife, payee, buyer, seller, lessee,
  subscriber, claimant, defendant, plaintiff, bearer, kunde, kundin, mitarbeiter, mitarbeiterin, mieter, empfänger, absender, paciente`,
  '',
  THING_WORDS,
)
/** A field that is only called "name" can belong to a product, a report or a plan. */
const NAME_ONLY = labels('name, nombre, nome, nom, naam', '', THING_WORDS)
const QUESTION = labels('name, nombre, nome, name on the account', 'on the account card your', THING_WORDS)

/** A separator after a label, with the characters before the value: spaces, quotes, Markdown, a line break. A capital letter follows. */
const FIELD = /(?<=[a-zA-Z\u00c0-\u9fff"'`*_)\]] ?)[:=?][ \t]{0,4}(?:["'`*_>]{1,3}|\n)?[ \t]{0,2}(?=[A-Z\u00c0-\u052f])/g

/** The end of a word before a capital, if it can be the end of an introduction ("is", "heiße", "llamo"). */
const BEFORE_CAPITAL = /[streoèéęтm] (?=[A-Z\u00c0-\u052f])/g
const INTRODUCTION =
  /(?:(names?) (?:is|was|ist|är)|(name)'s|ich hei(?:ß|ss)e|je m'appelle|mon nom est|me llamo|mi nombre es|mi chiamo|il mio nome è|meu nome é|chamo-me|me chamo|mijn naam is|ik heet|jag heter|mitt namn är|jeg he(?:ter|dder)|nazywam się|меня зовут|(?:people|you can|just|please|friends) call me|\b(dear))$/i
const LONGEST_INTRODUCTION = 18
/** Words before "name is", because files and products have names too. */
const WHOSE = labels('my, his, her, their, your, whose, mein, meine, s, full, first, last, real, maiden, given, family')

/** The line after a comma, where the signature of a letter is. */
const NEXT_LINE = /,[ \t]{0,3}\r?\n\s{0,3}(?=[A-Z\u00c0-\u052f])/g
const CLOSING = labels(
  `regards, sincerely, faithfully, respectfully, truly, wishes, cheers, grüßen, gruß, grüße, cordialement, salutations, saludos,
  atentamente, saluti, cumprimentos, abraços, groeten, groet, hälsningar, hilsen, pozdrowieniami`,
  'yours you',
)

const TITLE =
  /(?<![A-Za-z\u00c0-\u052f\d])(?:(?:Mr|Mrs|Ms|Mx|Dr|Prof|Mme|Mlle|Sra?|Srta|Sig|Dott|Dhr|Mevr)\.?|(?<![A-Z][A-Za-z-]{1,20} )Miss|Professor|Doctor|Herrn?|Frau|Monsieur|Madame|Señora?|Signora?|Senhora?|Meneer|Mevrouw|Господин|Госпожа) (?=[A-Z\u00c0-\u052f])/g

/** `SmartHome` is a brand; `McDonald`, `DeVito` and `O'Neill` are people. */
const BRAND = /\p{Ll}(?<!(?:^|[ '-])(?:Mc|Mac|De|Di|Da|La|Le|Van|Von|Fitz))\p{Lu}/u

function isName(name: string, minWords: number): boolean {
  const words = name.split(' ')
  return words.length >= minWords && !words.some((word) => NO_NAME.has(word)) && !BRAND.test(name)
}

function nameAt(text: string, index: number, minWords: number): string | undefined {
  NAME.lastIndex = index
  const name = NAME.exec(text)?.[0]
  return name !== undefined && isName(name, minWords) ? name : undefined
}

function addName(findings: Finding[], text: string, index: number, minWords: number): void {
  const name = nameAt(text, index, minWords)
  if (name !== undefined) findings.push({ type: 'pii.person', start: index, end: index + name.length })
}

const capitalized = (word: string): string => word.charAt(0) + word.slice(1).toLowerCase()
const isUpperCase = (unit: number): boolean => unit >= 0x41 && unit <= 0x5a
const isGivenName = (word: string): boolean =>
  GIVEN_NAMES.has(word) || (isUpperCase(word.charCodeAt(1)) && GIVEN_NAMES.has(capitalized(word)))
const SEPARATORS = /[ ,-]+/
const HAS_SEPARATOR = /[,-]/

/** Whether the words of a name are those of a person or a thing. A given name can be the name of a thing, too. */
function kindOf(name: string): 'thing' | 'given' | 'unknown' {
  let kind: 'given' | 'unknown' = 'unknown'
  const plain = withoutAccents(name)
  for (const word of plain.split(HAS_SEPARATOR.test(plain) ? SEPARATORS : ' ')) {
    if (isGivenName(word)) kind = 'given'
    else if (THINGS.has(word)) return 'thing'
  }
  return kind
}

type Label = 'personal' | 'general' | 'name' | 'question'

function labelBefore(text: string, separator: number): Label | undefined {
  if (text[separator] === '?') return isLabelled(text, separator, QUESTION) ? 'question' : undefined
  if (isLabelled(text, separator, PERSONAL)) return 'personal'
  if (isLabelled(text, separator, NAME_ONLY)) return 'name'
  return isLabelled(text, separator, GENERAL) ? 'general' : undefined
}

const KEYS_REACH = 160
const CHECKS = 1_000
const CAPITAL_LABEL = /(?:^|[^"'\w])(?:Name|NAME|Nombre|Nome|Nom|Naam)[ *_]{0,3}$/

/** Whether the name in a field that is only called "name" is that of a person. */
function isPerson(text: string, separator: number, from: number, name: string): boolean {
  const around = `${text.slice(Math.max(0, separator - KEYS_REACH), separator)}\n${text.slice(from + name.length, from + name.length + KEYS_REACH)}`
  if (PERSON_KEY.test(around)) return true
  // A form has "Name:", a settings file "name:".
  return CAPITAL_LABEL.test(text.slice(Math.max(0, separator - 10), separator)) && !THING_KEY.test(around)
}

/** A given name after the family name: `Meier, Anna`. */
const SECOND = new RegExp(`, ?(${WORD}(?: ${WORD}){0,2})(?![\\p{L}\\d])`, 'uy')
const NEXT_FIELD = /[ \t]*(?:$|[,;.|)\]}"'\n\r<(/]|(?:geb|born|née?|nato|nata|nacid[oa]|age|alter|DOB|\d)\b)/iy

function endOfName(text: string, from: number, name: string, isPersonal: boolean): number {
  const end = from + name.length
  if (text[end] !== ',') return end
  SECOND.lastIndex = end
  const given = SECOND.exec(text)?.[1]
  const kind = given !== undefined && isName(given, 1) ? kindOf(given) : 'thing'
  if (kind === 'thing') return end
  const after = SECOND.lastIndex
  NEXT_FIELD.lastIndex = after
  return kind === 'given' || (isPersonal && NEXT_FIELD.test(text)) ? after : end
}

/** Steps of a build pipeline (`- name: Install Dependencies`) are not persons. */
const LIST_ITEM = /(?:^|\n)[ \t]*- name$/

function addFields(findings: Finding[], text: string): void {
  const may = bounded(CHECKS)
  eachMatch(text, FIELD, ({ 0: match, index }) => {
    const label = labelBefore(text, index)
    if (!label || (label === 'name' && LIST_ITEM.test(text.slice(Math.max(0, index - 40), index)))) return
    const from = index + match.length
    const first = nameAt(text, from, 1)
    if (first === undefined) return
    const end = endOfName(text, from, first, label === 'personal')
    const name = text.slice(from, end)
    if (label !== 'personal' && !name.includes(' ')) return
    const kind = label === 'general' || label === 'name' ? kindOf(name) : 'given'
    if (kind === 'thing') return
    if (label === 'name' && kind === 'unknown' && !may(() => isPerson(text, index, from, name))) return
    findings.push({ type: 'pii.person', start: from, end })
  })
}

/** Minimum number of words of a name after the introduction that ends at `end`; 0: no introduction. */
function wordsAfterIntroduction(text: string, end: number): number {
  const match = INTRODUCTION.exec(text.slice(Math.max(0, end - LONGEST_INTRODUCTION), end))
  if (!match) return 0
  if (match[3]) return 2
  const isNamed = (match[1] ?? match[2]) !== undefined
  return !isNamed || isLabelled(text, end - match[0].length, WHOSE) ? 1 : 0
}

function addPhrases(findings: Finding[], text: string): void {
  eachEnd(text, BEFORE_CAPITAL, (end) => {
    const words = wordsAfterIntroduction(text, end - 1)
    if (words > 0) addName(findings, text, end, words)
  })
  eachEnd(text, TITLE, (end) => addName(findings, text, end, 1))
  if (!text.includes('\n')) return
  eachMatch(text, NEXT_LINE, ({ 0: match, index }) => {
    if (isLabelled(text, index, CLOSING)) addName(findings, text, index + match.length, 2)
  })
}

/** A name that may continue, for which capitalised words are enough, and one in a field that is only called "name". */
const WORDS = String.raw`\p{Lu}[\p{L}\p{M}.'-]{0,48}`
const GROWING_NAME = new RegExp(
  String.raw`(?<![\p{L}\p{M}])${WORDS}(?:,? (?:${PARTICLES})?${WORDS}){0,8}(?:,? ?(?:${PARTICLES})?\p{Ll}{0,5})?[\s\S]{0,16}$`,
  'gu',
)
const NAME_FIELD =
  /\p{Lu}(?<=(?:[Nn][Aa][Mm][Ee]|NAME|[Nn][Oo][Mm](?:[Bb][Rr][Ee]|[Ee])?|[Nn][Aa][Aa][Mm])[^\p{L}\d\n]{0,48}\n?[ \t]{0,2}\p{Lu})/gu
const MARKS = [
  { pattern: GROWING_NAME, reach: 460 },
  { pattern: NAME_FIELD, reach: 460 + KEYS_REACH },
]

/** In fields of forms, after "my name is" and titles, and at both ends of a letter, but not in running prose (decision 0004). */
export const person = detector({ name: 'person', type: 'pii.person', reach: 80, marks: MARKS }, (text, findings) => {
  addFields(findings, text)
  addPhrases(findings, text)
})

const MONTH =
  '(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mai|okt|dez|märz|ene|abr|ago|dic|fév|avr|juin|juil|août|gen|mag|giu|lug|set|ott)'
const NUMERIC = String.raw`\d{1,2}[./-]\d{1,2}[./-](?:\d{4}|\d{2})|\d{4}[./-]\d{1,2}[./-]\d{1,2}`
const SPOKEN = String.raw`\d{1,2}(?:st|nd|rd|th|\.|er)? (?:of |de )?${MONTH}\p{L}{0,8}\.?,? (?:de )?\d{4}|${MONTH}\p{L}{0,8}\.? \d{1,2}(?:st|nd|rd|th)?,? \d{4}`
const DATE = new RegExp(String.raw`(?<![\p{L}\d])(?:(?<numeric>${NUMERIC})|${SPOKEN})(?!\d)`, 'giu')

const BIRTH = labels(
  `date of birth, dob, d o b, birth date, birthdate, birthday, geburtsdatum, geburtstag, date de naissance, fecha de nacimiento,
  data di nascita, data de nascimento, geboortedatum, fødselsdato, födelsedatum, data urodzenia, 生年月日, 出生日期`,
  'is was it s the on my his her their your ist war am est le es el è il é mm dd yyyy jj aaaa tt',
)
/** Labels of numeric dates only: biographies contain "born on 14 March 1879", while forms contain numbers. */
const BORN = labels('born, geboren, geb, né, née, nacido, nacida, nato, nata, nascido, nascida', 'on am le el il em was')

const BIRTH_HINT = /birth|born|dob|d\.o\.b|geb|geburt|geboor|naiss|née?|nac[ií]|nasc|nat[oa]|urodz|fød|föd|生|出/i

/** The digits of a date: two separators, or a year after a month or a day. Most texts have none, so the search ends here. */
const DATE_HINT = new RegExp(
  String.raw`\d(?:[./-]\d{1,2}[./-]\d|\d{3}(?!\d)(?<=(?:${MONTH}\p{L}{0,8}\.?,?(?: de)?|\d(?:st|nd|rd|th)?,?) \d{4}))`,
  'iu',
)

export const birthDate = detector({ name: 'birth-date', type: 'pii.person', reach: 64 }, (text, findings) => {
  if (!DATE_HINT.test(text) || !BIRTH_HINT.test(text)) return
  addMatches(findings, 'pii.person', text, DATE, ({ index, groups }) => {
    if (!BIRTH_HINT.test(text.slice(Math.max(0, index - LABEL_REACH), index))) return false
    return isLabelled(text, index, BIRTH) || (groups?.numeric !== undefined && isLabelled(text, index, BORN))
  })
})
