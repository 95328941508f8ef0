import { normalize } from '../../platform/lib/normalize.ts'
import type { MemoryKind, MemoryScope } from '../../shared/memory-words.ts'

/** Attributes with one value at a time: the last word before “is”. Their values have a number or a name: “the team is tired” says another thing. */
const ATTRIBUTES =
  /^(?:name|nickname|username|age|birthday|birthdate|birthplace|address|email|phone|website|url|location|city|town|country|hometown|employer|company|department|team|role|position|title|job|profession|occupation|salary|size|height|weight|deadline|date|time|budget|price|cost|fee|limit|quota|progress|version|framework|editor|browser|schedule|capital|room|floor|desk|port|hostname|region)$/
/** Attributes whose value may be any word. */
const DESCRIBED_BY_A_WORD =
  /^(?:pronouns|timezone|zone|language|currency|locale|diet|priority|severity|status|state|stage|phase|colour|theme|format|style|tone|units|frequency|cadence)$/
/** Roles whose value must be a name: “my manager is Bob”, not “my manager is ill”. */
const ROLES =
  /^(?:manager|boss|supervisor|lead|leader|head|owner|assistant|mentor|sponsor|doctor|dentist|accountant|partner|wife|husband|spouse|mother|father|ceo|cto|cfo|ciso|cio)$/
const NAME = /^\p{Lu}[\p{L}'.-]*(?:\s+(?:van|von|de|der|di|da|del|la|bin|al|\p{Lu}[\p{L}'.-]*)){0,4}$/u

/** Values that state nothing definite. */
const NO_VALUE =
  /^(?:not|no|none|neither|nothing|never|n't|unknown|unclear|undecided|open|why|because|what|how|that|to be|still)\b/i
/** Words that make a value one of several: a second statement may also be true. */
const ONE_OF_SEVERAL =
  /\b(?:and|or|also|too|both|either|as well|another|but|except|only|unless|if|when|while|sometimes|usually|often|mostly|partly|rarely|maybe|perhaps|probably|possibly|likely|hardly|not|never|because|which|who)\b|\(|,(?!\p{N})|\s[-–—/]\s/iu
/** Words after the first that restrict a value to a time, place or case. */
const RESTRICTION =
  /\s(?:for|on|in|at|from|to|with|without|during|until|till|since|per|by|via|of|as|than|before|after|under|over|between|within|every|each|this|next|last|today|tomorrow)\b/i

/** Whether a value is the only one: without a condition, restriction or second value. */
const isPlain = (value: string): boolean => !NO_VALUE.test(value) && !ONE_OF_SEVERAL.test(value) && !RESTRICTION.test(value)

const isName = (value: string): boolean => NAME.test(value)

/** By the kind of the new memory. A sentence may be read as a fact or as a preference. */
const REPLACEABLE_KINDS: Readonly<Record<MemoryKind, readonly MemoryKind[]>> = {
  fact: ['fact', 'preference'],
  preference: ['fact', 'preference'],
  workflow_state: ['workflow_state'],
  summary: ['summary'],
  decision: [],
}

/** The kinds of memories that a new memory of `kind` may replace. */
export const replaceableKinds = (kind: MemoryKind): readonly MemoryKind[] => REPLACEABLE_KINDS[kind]

/** A longer text is not a simple statement. */
const MAX_STATEMENT = 300
const MAX_SUBJECT = 200

/**
 * The subject of a simple statement, such as `tea favourite` of “my favourite tea is Assam”. Of two statements of an owner with the
 * same subject the later one counts. null for all other texts, because a wrong guess would lose a memory. “I” and “my” have a
 * meaning only in the scopes of one user.
 */
export function subjectOf(content: string, scope: MemoryScope): string | null {
  const subject = exactSubject(content, scope)
  return subject === null ? null : foldWords(subject).slice(0, MAX_SUBJECT)
}

/** The comparable form of a subject that an Application or a model states. null if no word is left. */
export function subjectKey(phrase: string): string | null {
  const subject = keyOf(wordsOf(phrase.slice(0, MAX_STATEMENT)))
  return subject === null ? null : foldWords(subject).slice(0, MAX_SUBJECT)
}

/**
 * Whether two memories with equal subjects are surely about the same thing. The subjects of the statements themselves count more than a
 * stated subject: a model may call the trains to Paris and from Paris “train price”.
 */
export function isSameSubject(
  newer: { readonly content: string; readonly isSubjectStated: boolean },
  older: { readonly content: string },
  scope: MemoryScope,
): boolean {
  const [one, other] = [exactSubject(newer.content, scope), exactSubject(older.content, scope)]
  if (!newer.isSubjectStated || (one !== null && other !== null)) return one === other
  // The same words in another order may be trips in opposite directions.
  return sortedWords(newer.content) !== sortedWords(older.content)
}

const sortedWords = (text: string): string =>
  wordsOf(text)
    .map((word) => word.toLowerCase())
    .toSorted()
    .join(' ')

/** A subject with the capitals of its names. */
function exactSubject(content: string, scope: MemoryScope): string | null {
  if (content.length > MAX_STATEMENT) return null
  const statement = content
    .trim()
    .replace(/[’‘]/g, "'")
    .replace(/[.!\s]+$/, '')
  if (/[\n;?]|[.!]\s/.test(statement) || TWO_STATEMENTS.test(statement)) return null
  const personal = scope === 'user' || scope === 'session'
  // Models that extract memories write “the user”.
  const text = personal ? statement.replace(/^(?:the )?user's /i, 'my ').replace(/^(?:the )?user /i, 'I ') : statement
  if (!personal && /^(?:i|i'm|i'd|my|(?:the )?user(?:'s)?)\b/i.test(text)) return null
  return attributeSubject(text) ?? preferenceSubject(text) ?? homeOrWorkSubject(text)
}

/** “deadline of project atlas” and “project atlas's deadline” are equal: the attribute comes first. All other words keep their order. */
function keyOf(words: readonly string[]): string | null {
  const at = prepositionIn(words)
  const preposition = at > 0 && words[at] !== 'of' ? [words[at]] : []
  const [head, rest] = at > 0 ? [words.slice(0, at), words.slice(at + 1)] : [words.slice(-1), words.slice(0, -1)]
  const noun = head.at(-1)
  return noun === undefined ? null : [noun, ...head.slice(0, -1), ...preposition, ...rest].join(' ')
}

const prepositionIn = (words: readonly string[]): number => words.findIndex((word) => word === 'of' || word === 'for')

const TWO_STATEMENTS =
  /\b(?:and|but|while|whereas|because|although|if)\s+(?:the|my|our|his|her|their|its?|i|we|he|she|they|you)\b/i

function attributeSubject(text: string): string | null {
  const [, phrase = '', value = ''] =
    /^(.{2,120}?)(?:\s+(?:is|are)(?:\s+(?:now|currently))?\s+|\s*:\s+|\s+=\s+)(\S.*)$/i.exec(text) ?? []
  if (value === '' || !isPlain(value)) return null
  const words = wordsOf(phrase)
  const at = prepositionIn(words)
  const head = foldWord(words.at(at > 0 ? at - 1 : -1) ?? '')
  const chosen = words.map(foldWord).some((word) => word === 'favourite' || word === 'preferred')
  const isKnown =
    chosen ||
    DESCRIBED_BY_A_WORD.test(head) ||
    (ATTRIBUTES.test(head) && /\p{N}|\p{Lu}/u.test(value)) ||
    (ROLES.test(head) && isName(value))
  return isKnown ? keyOf(words) : null
}

function preferenceSubject(text: string): string | null {
  const [, person = '', preference = ''] = /^(\S.{0,60}?)\s+(?:now\s+)?prefers?\s+(\S.*)$/i.exec(text) ?? []
  if (preference === '') return null
  const subject = wordsOf(person).join(' ')
  const called = /^to be (?:called|addressed|contacted|reached)\b/i.exec(preference)
  if (called) {
    const value = preference.slice(called[0].length).trim()
    return isPlain(value) ? ['prefer', subject, called[0].toLowerCase()].join(' ') : null
  }
  const [, first, second] = /^(.{1,80}?)\s+(?:over|to|rather than|instead of)\s+(.{1,80})$/i.exec(preference) ?? []
  if (!first || !second) return null
  const options = [first, second].map((option) => wordsOf(option).join(' ')).toSorted()
  return ['prefer', subject, options.join(' or ')].join(' ')
}

/** Statements about a person's home or work, with a name: “I live in a flat” says nothing about the town. */
function homeOrWorkSubject(text: string): string | null {
  const [, person = '', verb = '', place = ''] =
    /^(\S.{0,60}?)\s+(?:now\s+)?(lives?\s+in|works?\s+(?:at|for))\s+(\S.*)$/i.exec(text) ?? []
  if (!isName(place) || wordsOf(person).length > 3) return null
  return [/^live/i.test(verb) ? 'live' : 'work', ...wordsOf(person)].join(' ')
}

/** A map, because objects inherit fields such as `constructor`, and a statement may have any word. */
const SPELLINGS: ReadonlyMap<string, string> = new Map([
  ['favorite', 'favourite'],
  ['color', 'colour'],
  ['e-mail', 'email'],
  ['time-zone', 'timezone'],
])
/** The owner of the memory is known. “our” is another owner than “my”. */
const OWN = /^(?:the|my)$/i
const BEFORE: ReadonlySet<string> = new Set('"\'“”‘’«»([{')
const AFTER: ReadonlySet<string> = new Set('"\'“”‘’«»)]},;:!.')

/** The words that distinguish a phrase's subject, in order, with all symbols (C++, -5, 10 %). The first one is in lower case. */
export function wordsOf(phrase: string): string[] {
  const words = normalize(phrase, 'NFC')
    .replace(/[’‘]/g, "'")
    .split(/\s+/u)
    .map((word) => withoutPunctuation(word).replace(/'s$/i, ''))
    .filter((word) => /[\p{L}\p{N}\p{S}]/u.test(word))
  return words
    .filter((word, at) => !(at === 0 ? OWN.test(word) : word === 'the'))
    .map((word, at) => {
      const spelt = at > 0 ? word : word === 'I' ? 'i' : foldWord(word)
      return SPELLINGS.get(spelt.toLowerCase()) ?? spelt
    })
}

/** By loops, because a pattern for the end takes quadratic time on a long run of punctuation. */
function withoutPunctuation(word: string): string {
  let [start, end] = [0, word.length]
  while (start < end && BEFORE.has(word.charAt(start))) start++
  while (end > start && AFTER.has(word.charAt(end - 1))) end--
  return word.slice(start, end)
}

/** In lower case, except a word in capitals, which is a name: plan A, US. */
const foldWord = (word: string): string => (/\p{Lu}/u.test(word) && word === word.toUpperCase() ? word : word.toLowerCase())

const foldWords = (words: string): string => words.split(' ').map(foldWord).join(' ')
