import type { MemoryKind, MemoryScope } from '../domain/memory-words.ts'
import { normalised } from './sameness.ts'

/**
 * Kinds that take one another's place when they say something about the same subject. A fact and a preference may be two readings of
 * one sentence; a decision stays on record beside the one that follows it.
 */
const REPLACE_ONE_ANOTHER: Readonly<Record<MemoryKind, readonly MemoryKind[]>> = {
  fact: ['fact', 'preference'],
  preference: ['fact', 'preference'],
  workflow_state: ['workflow_state'],
  summary: ['summary'],
  decision: [],
}

/** The kinds whose memories a new one of `kind` may take the place of. */
export const replacedBy = (kind: MemoryKind): readonly MemoryKind[] => REPLACE_ONE_ANOTHER[kind]

/** Longer ones are no simple statements. */
const MAX_STATEMENT = 300
const MAX_SUBJECT = 200

/** What somebody has one of at a time: words that end what comes before “is”. */
const THINGS =
  /^(?:name|nickname|username|pronouns|age|birthday|birthdate|birthplace|address|email|phone|website|url|location|city|town|country|hometown|timezone|zone|language|currency|locale|employer|company|department|team|role|position|title|job|profession|occupation|salary|diet|size|height|weight|deadline|date|time|budget|price|cost|fee|limit|quota|priority|severity|status|state|stage|phase|progress|version|colour|theme|format|style|tone|units|framework|editor|browser|frequency|cadence|schedule|capital|room|floor|desk|port|hostname|region)$/
/** Of people, only a name is a value: “my manager is Bob”, not “my manager is ill”. */
const PEOPLE =
  /^(?:manager|boss|supervisor|lead|leader|head|owner|assistant|mentor|sponsor|doctor|dentist|accountant|partner|wife|husband|spouse|mother|father|ceo|cto|cfo|ciso|cio)$/
const A_NAME = /^\p{Lu}[\p{L}'.-]*(?:\s+(?:van|von|de|der|di|da|del|la|bin|al|\p{Lu}[\p{L}'.-]*)){0,4}$/u

/**
 * What a simple statement is about, as `favourite tea` in “my favourite tea is Assam”: two statements of one owner with the same
 * subject say different things of it, and the later one counts. null for everything else: whoever guesses wrongly loses a memory.
 * “I” and “my” mean somebody only where the memory is one person's.
 */
export function subjectOf(content: string, scope: MemoryScope): string | null {
  if (content.length > MAX_STATEMENT) return null
  const statement = content
    .trim()
    .replace(/[’‘]/g, "'")
    .replace(/[.!\s]+$/, '')
  if (/[\n;?]|[.!]\s/.test(statement) || TWO_STATEMENTS.test(statement)) return null
  const personal = scope === 'user' || scope === 'session'
  // Models that extract memories write of “the user”.
  const text = personal ? statement.replace(/^(?:the )?user's /i, 'my ').replace(/^(?:the )?user /i, 'I ') : statement
  if (!personal && /^(?:i|i'm|i'd|my|(?:the )?user(?:'s)?)\b/i.test(text)) return null
  return ofAttribute(text) ?? ofPreference(text) ?? ofLife(text)
}

/** A subject as it is compared: given by a caller or read from a statement. null when nothing is left of it. */
export function subjectKey(phrase: string): string | null {
  const words = wordsOf(phrase.slice(0, MAX_STATEMENT))
  const at = words.findIndex((word) => word === 'of' || word === 'for')
  // “deadline of project atlas” and “project atlas's deadline” are one: what it is of stands behind.
  const [head, rest] = at > 0 ? [words.slice(0, at), words.slice(at + 1)] : [words.slice(-1), words.slice(0, -1)]
  const noun = head.at(-1)
  if (noun === undefined) return null
  const others = [...head.slice(0, -1), ...rest].filter((word) => word !== 'of' && word !== 'for')
  return [noun, ...[...new Set(others)].toSorted()].join(' ').slice(0, MAX_SUBJECT)
}

const TWO_STATEMENTS =
  /\b(?:and|but|while|whereas|because|although|if)\s+(?:the|my|our|his|her|their|its?|i|we|he|she|they|you)\b/i
/** Says what is not, or nothing. */
const NO_VALUE = /^(?:not|no longer|never|n't|unknown|unclear|why|because|what|how|that)\b/i

function ofAttribute(text: string): string | null {
  const [, phrase = '', value = ''] =
    /^(.{2,120}?)(?:\s+(?:is|are)(?:\s+(?:now|currently))?\s+|\s*:\s+|\s+=\s+)(\S.*)$/i.exec(text) ?? []
  if (value === '' || NO_VALUE.test(value)) return null
  const words = wordsOf(phrase)
  const at = words.findIndex((word) => word === 'of' || word === 'for')
  const head = words.at(at > 0 ? at - 1 : -1) ?? ''
  const chosen = words.some((word) => word === 'favourite' || word === 'preferred')
  if (chosen || THINGS.test(head) || (PEOPLE.test(head) && A_NAME.test(value))) return subjectKey(phrase)
  return null
}

function ofPreference(text: string): string | null {
  const [, who = '', wish = ''] = /^(\S.{0,60}?)\s+(?:now\s+)?prefers?\s+(\S.*)$/i.exec(text) ?? []
  if (wish === '') return null
  const [, first, second] = /^(.{1,80}?)\s+(?:over|to|rather than|instead of)\s+(.{1,80})$/i.exec(wish) ?? []
  const whose = wordsOf(who).join(' ')
  const about = (what: string) => `prefer ${whose} ${what}`.replace(/\s+/g, ' ').slice(0, MAX_SUBJECT)
  if (/^to be (?:called|addressed|contacted|reached)\b/i.test(wish)) return about(wordsOf(wish).slice(0, 3).join(' '))
  return first && second
    ? about(
        [first, second]
          .map((one) => wordsOf(one).join(' '))
          .toSorted()
          .join(' or '),
      )
    : null
}

/** Where somebody lives and works. */
function ofLife(text: string): string | null {
  const [, who = '', verb = ''] = /^(\S.{0,60}?)\s+(?:now\s+)?(lives?\s+in|works?\s+(?:at|for))\s+\S/i.exec(text) ?? []
  if (verb === '' || wordsOf(who).length > 3) return null
  return [/^live/i.test(verb) ? 'live' : 'work', ...wordsOf(who)].join(' ')
}

/** Owner's words say nothing: whose memory it is says it. */
const SILENT = new Set(['the', 'a', 'an', 'my', 'our', 'i', 'we', 'user', 'current', 'new'])
const SPELLINGS: Readonly<Record<string, string>> = {
  favorite: 'favourite',
  color: 'colour',
  'e-mail': 'email',
  'time-zone': 'timezone',
}

const wordsOf = (phrase: string): string[] =>
  (normalised(phrase).match(/[\p{L}\p{M}\p{N}_.-]+(?:'\p{L}+)?/gu) ?? [])
    .map((word) => word.replace(/'s$/, ''))
    .map((word) => SPELLINGS[word] ?? word)
    .filter((word) => !SILENT.has(word))
