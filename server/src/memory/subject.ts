import type { MemoryKind, MemoryScope } from '../domain/memory-words.ts'
import { normalizeContent } from './duplicate-text.ts'

/**
 * The kinds that a new memory of each kind replaces if both are about the same subject. A sentence may be read as a fact or as a
 * preference. Decisions are never replaced.
 */
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

/** Attributes with one value at a time: the last word before “is”. */
const SINGLE_ATTRIBUTES =
  /^(?:name|nickname|username|pronouns|age|birthday|birthdate|birthplace|address|email|phone|website|url|location|city|town|country|hometown|timezone|zone|language|currency|locale|employer|company|department|team|role|position|title|job|profession|occupation|salary|diet|size|height|weight|deadline|date|time|budget|price|cost|fee|limit|quota|priority|severity|status|state|stage|phase|progress|version|colour|theme|format|style|tone|units|framework|editor|browser|frequency|cadence|schedule|capital|room|floor|desk|port|hostname|region)$/
/** Roles whose value must be a name: “my manager is Bob”, not “my manager is ill”. */
const ROLES =
  /^(?:manager|boss|supervisor|lead|leader|head|owner|assistant|mentor|sponsor|doctor|dentist|accountant|partner|wife|husband|spouse|mother|father|ceo|cto|cfo|ciso|cio)$/
const PERSON_NAME = /^\p{Lu}[\p{L}'.-]*(?:\s+(?:van|von|de|der|di|da|del|la|bin|al|\p{Lu}[\p{L}'.-]*)){0,4}$/u

/**
 * The subject of a simple statement, such as `favourite tea` in “my favourite tea is Assam”. Of two statements of an owner with the
 * same subject the later one counts. null for all other texts, because a wrong guess would lose a memory. “I” and “my” have a
 * meaning only in the scopes of one user.
 */
export function subjectOf(content: string, scope: MemoryScope): string | null {
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

/** The comparable form of a subject that an Application states or a statement contains. null if no word is left. */
export function subjectKey(phrase: string): string | null {
  const words = wordsOf(phrase.slice(0, MAX_STATEMENT))
  const at = words.findIndex((word) => word === 'of' || word === 'for')
  // “deadline of project atlas” and “project atlas's deadline” are equal: the attribute comes first.
  const [head, rest] = at > 0 ? [words.slice(0, at), words.slice(at + 1)] : [words.slice(-1), words.slice(0, -1)]
  const noun = head.at(-1)
  if (noun === undefined) return null
  const others = [...head.slice(0, -1), ...rest].filter((word) => word !== 'of' && word !== 'for')
  return [noun, ...[...new Set(others)].toSorted()].join(' ').slice(0, MAX_SUBJECT)
}

const TWO_STATEMENTS =
  /\b(?:and|but|while|whereas|because|although|if)\s+(?:the|my|our|his|her|their|its?|i|we|he|she|they|you)\b/i
/** Values that state nothing definite. */
const NO_VALUE = /^(?:not|no longer|never|n't|unknown|unclear|why|because|what|how|that)\b/i

function attributeSubject(text: string): string | null {
  const [, phrase = '', value = ''] =
    /^(.{2,120}?)(?:\s+(?:is|are)(?:\s+(?:now|currently))?\s+|\s*:\s+|\s+=\s+)(\S.*)$/i.exec(text) ?? []
  if (value === '' || NO_VALUE.test(value)) return null
  const words = wordsOf(phrase)
  const at = words.findIndex((word) => word === 'of' || word === 'for')
  const head = words.at(at > 0 ? at - 1 : -1) ?? ''
  const chosen = words.some((word) => word === 'favourite' || word === 'preferred')
  if (chosen || SINGLE_ATTRIBUTES.test(head) || (ROLES.test(head) && PERSON_NAME.test(value))) return subjectKey(phrase)
  return null
}

function preferenceSubject(text: string): string | null {
  const [, person = '', preference = ''] = /^(\S.{0,60}?)\s+(?:now\s+)?prefers?\s+(\S.*)$/i.exec(text) ?? []
  if (preference === '') return null
  const [, first, second] = /^(.{1,80}?)\s+(?:over|to|rather than|instead of)\s+(.{1,80})$/i.exec(preference) ?? []
  const subject = wordsOf(person).join(' ')
  const keyOf = (topic: string) => `prefer ${subject} ${topic}`.replace(/\s+/g, ' ').slice(0, MAX_SUBJECT)
  if (/^to be (?:called|addressed|contacted|reached)\b/i.test(preference)) return keyOf(wordsOf(preference).slice(0, 3).join(' '))
  return first && second
    ? keyOf(
        [first, second]
          .map((option) => wordsOf(option).join(' '))
          .toSorted()
          .join(' or '),
      )
    : null
}

/** Statements about a person's home or work. */
function homeOrWorkSubject(text: string): string | null {
  const [, person = '', verb = ''] = /^(\S.{0,60}?)\s+(?:now\s+)?(lives?\s+in|works?\s+(?:at|for))\s+\S/i.exec(text) ?? []
  if (verb === '' || wordsOf(person).length > 3) return null
  return [/^live/i.test(verb) ? 'live' : 'work', ...wordsOf(person)].join(' ')
}

/** Words without meaning for the subject, because the owner of the memory is known. */
const IGNORED_WORDS = new Set(['the', 'a', 'an', 'my', 'our', 'i', 'we', 'user', 'current', 'new'])
/** A map, because objects inherit fields such as `constructor`, and a statement may have any word. */
const SPELLINGS: ReadonlyMap<string, string> = new Map([
  ['favorite', 'favourite'],
  ['color', 'colour'],
  ['e-mail', 'email'],
  ['time-zone', 'timezone'],
])

const wordsOf = (phrase: string): string[] =>
  (normalizeContent(phrase).match(/[\p{L}\p{M}\p{N}_.-]+(?:'\p{L}+)?/gu) ?? [])
    .map((word) => word.replace(/'s$/, ''))
    .map((word) => SPELLINGS.get(word) ?? word)
    .filter((word) => !IGNORED_WORDS.has(word))
