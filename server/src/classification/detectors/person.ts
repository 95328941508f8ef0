import type { Finding } from '../../domain/finding.ts'
import type { Detector } from '../detector.ts'
import { isLabelled, labels } from '../text/label.ts'

/** A word of a name: capital letter, then letters; or an initial. Not a further label ("Phone:"). */
const WORD = String.raw`(?!\p{L}+ ?[:=])\p{Lu}(?:\.|(?:[\p{L}\p{M}]|['-](?=\p{L}))+)`
const PARTICLES = `(?:(?:van|von|vom|zu|de|del|della|der|den|da|di|do|dos|das|du|la|le|bin|ibn|al|el|ten|ter|y|e) ){1,3}`
const NAME = new RegExp(`${WORD}(?: (?:${PARTICLES})?${WORD}){0,4}`, 'uy')

/** Words with a capital that are no names, first in a sentence or in an organisation. */
const NO_NAME = new RegExp(
  String.raw`(?:^|[ '-])(?:${[
    'He|She|It|The|This|That|These|In|On|At|And|But|Or|We|They|You|I|If|Is|Are|Was|Not|No|None|Yes|Please|Thank|Thanks|Hello|Hi|Dear|My|Your',
    'Inc|Ltd|LLC|LLP|GmbH|AG|SA|SE|PLC|BV|Corp|Corporation|Company|Co|Group|Bank|University|College|School|Institute|Foundation|Holdings',
    'Team|Department|Dept|Support|Sales|Service|Services|Office|Center|Centre|Resources|Desk|Agency|Association|Committee|Council|Hospital',
    'Server|System|Systems|Service|Database|Cluster|Test|Demo|Example|Sample|Unknown|Anonymous|Admin|Administrator|User|Default|Production',
    'Apt|Suite|Unit|Street|Road|Avenue|Universe|World|America|President|Speaker|Chairman|Secretary|Justice|Minister|Mayor|Pepper|Null|Undefined',
    'Build|Run|Install|Deploy|Checkout|Setup|Set|Create|Update|Publish|Lint|Policy|API|Functions|Core|Debug|Release|Check|Start|Stop|Configure',
    'Upload|Download|Cache|Code|Project|Workflow|Pipeline|CI|CD|Docs|Documentation|Action|Privacy|Terms|Home|Page|Menu|Settings|Button',
    'N/A|TBD|TODO|String|Number|Boolean|Object|Array|Text|Date|Time|Name|Title|Value|Type|Key|Required|Optional',
  ].join('|')})(?![\p{L}])`,
  'u',
)

const STRANGERS = `
  product file folder host domain company business project class event brand app application service model table column variable
  function package bucket cluster server db database bank course drug street city country county state team group school hotel
  restaurant game song album movie film book place store plan policy job role field property attribute parameter key tag branch
  repository repo image container method module component library schema index topic queue channel space display nick screen device
  network user generic scientific common trade code nom firmen datei produkt organization organisation org institution firm vendor
  supplier theme template font color colour recipe dish pet dog cat ship team font style layer node pod namespace environment env`

/** Fields of a form for people only: one word is enough. */
const PERSONAL = labels(
  `first name, firstname, last name, lastname, full name, fullname, given name, family name, surname, forename, maiden name, middle name,
  patient, patient name, patientname, customer name, customername, client name, employee name, contact name, contact person,
  account holder, cardholder, card holder, cardholder name, name on card, policy holder, policyholder, insured, next of kin,
  emergency contact, vorname, nachname, vor und nachname, familienname, ansprechpartner, patientin, prénom, prenom,
  nom de famille, nombre completo, apellido, apellidos, nome completo, cognome, sobrenome, voornaam, achternaam, imię, nazwisko, имя, фамилия, 姓名`,
)
/** Fields that hold other things as well: two words at least. */
const GENERAL = labels(
  `name, nombre, nome, nom, naam, customer, client, employee, contact, attn, attention, recipient, sender, signed, signature, student, guest,
  tenant, passenger, member, caller, beneficiary, applicant, candidate, witness, guardian, spouse, husband, wife, payee, buyer, seller, lessee,
  subscriber, claimant, defendant, plaintiff, bearer, kunde, kundin, mitarbeiter, mitarbeiterin, mieter, empfänger, absender, paciente`,
  '',
  STRANGERS,
)
const QUESTION = labels('name, nombre, nome, name on the account', 'on the account card your', STRANGERS)

const SEPARATOR = /[:=?]/g
/** Between a label's separator and its value: spaces, quotes, Markdown. One line break after a question. */
const OPENING = /[ \t]{0,4}(?:["'`*_>]{1,3}|\n)?[ \t]{0,2}/y

const SPOKEN =
  /\b(?:(?:my|his|her|their|your|whose|'s|full|first|last|legal|real|maiden|sur|fore) ?names? (?:is|was)|my name's|mein name ist|ich hei(?:ß|ss)e|je m'appelle|mon nom est|me llamo|mi nombre es|mi chiamo|il mio nome è|meu nome é|chamo-me|me chamo|mijn naam is|ik heet|jag heter|mitt namn är|jeg heter|jeg hedder|nazywam się|меня зовут|(?:people|you can|just|please|friends) call me|this is (?=\p{Lu}[\p{L}'-]+ (?:\p{Lu}[\p{L}'-]+ )?(?:speaking|calling|here))) /giu

const TITLE =
  /(?<![\p{L}\d])(?:Mr|Mrs|Ms|Mx|Dr|Prof|Mme|Mlle|Sra?|Srta|Sig|Dott|Dhr|Mevr)\.? (?=\p{Lu})|(?<![\p{L}\d]|\p{Lu}[\p{L}-]{1,20} (?=Miss))(?:Miss|Professor|Doctor|Herrn?|Frau|Monsieur|Madame|Señora?|Signora?|Senhora?|Meneer|Mevrouw|Господин|Госпожа) (?=\p{Lu})/gu

/** `SmartHome` is a brand; `McDonald`, `DeVito` and `O'Neill` are people. */
const BRAND = /\p{Ll}(?<!(?:^|[ '-])(?:Mc|Mac|De|Di|Da|La|Le|Van|Von|Fitz))\p{Lu}/u

const isName = (name: string, minWords: number): boolean =>
  !NO_NAME.test(name) && !BRAND.test(name) && name.split(' ').length >= minWords

/** The name that begins at `index`, if one does. */
function nameAt(text: string, index: number, minWords: number): Finding | undefined {
  NAME.lastIndex = index
  const name = NAME.exec(text)?.[0]
  return name !== undefined && isName(name, minWords) ? { type: 'pii.person', start: index, end: index + name.length } : undefined
}

function wordsNeeded(text: string, separator: number): number {
  if (text[separator] === '?') return isLabelled(text, separator, QUESTION) ? 2 : 0
  if (isLabelled(text, separator, PERSONAL)) return 1
  return isLabelled(text, separator, GENERAL) ? 2 : 0
}

/** Steps of a pipeline (`- name: Install Dependencies`) are lists of names that are nobody's. */
const LIST_ITEM = /(?:^|\n)[ \t]*- name$/

function* fields(text: string): Generator<Finding | undefined> {
  for (const { index } of text.matchAll(SEPARATOR)) {
    OPENING.lastIndex = index + 1
    const start = index + 1 + (OPENING.exec(text)?.[0].length ?? 0)
    const unit = text.charCodeAt(start)
    // Cheapest first: a name begins with a capital (all of them that are not ASCII are left to the expression).
    if (unit < 65 || (unit > 90 && unit < 0xc0)) continue
    const words = wordsNeeded(text, index)
    if (words > 0 && !LIST_ITEM.test(text.slice(Math.max(0, index - 40), index))) yield nameAt(text, start, words)
  }
}

function* phrases(text: string): Generator<Finding | undefined> {
  for (const expression of [SPOKEN, TITLE]) {
    for (const { 0: match, index } of text.matchAll(expression)) yield nameAt(text, index + match.length, 1)
  }
}

/**
 * Names of people where the text says that they are: fields of forms, "my name is", titles. A name in running prose is not found:
 * that takes a model, and a gateway that takes every capital for a person would redact "Paris".
 */
export const person: Detector = {
  name: 'person',
  detect(text) {
    const findings: Finding[] = []
    for (const finding of [...fields(text), ...phrases(text)]) if (finding) findings.push(finding)
    return findings
  },
}
