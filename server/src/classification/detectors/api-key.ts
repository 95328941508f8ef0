import type { Finding } from '../../domain/finding.ts'
import type { Detector } from '../detector.ts'
import { CharacterSet, DIGITS, eachRun, LOWER, UPPER } from '../text/characters.ts'
import { eachMatch } from '../text/matches.ts'
import { hasVariety, isPlaceholder } from '../text/secret-value.ts'
import { KEY_FORMATS } from './api-key-formats.ts'

/** Length of the shortest key (Stripe). */
const MIN_LENGTH = 18
/** Characters of keys. `/`, `+` and `=` end a run, so that a key in a URL starts a new run. */
const RUN = new CharacterSet(`${LOWER}${UPPER}${DIGITS}_-.~`)
const ALNUM = new CharacterSet(`${LOWER}${UPPER}${DIGITS}`)

/** Keys without a prefix that have a known middle part: Azure AD, Terraform Cloud, Mailchimp, Airtable, Discord. */
const INNER =
  /(?:[\w~.]{3}\dQ~[\w~.-]{31,34}|[A-Za-z0-9]{14}\.atlasv1\.[\w-]{60,70}|[a-f0-9]{32}-us\d{1,2}|pat[A-Za-z0-9]{14}\.[a-f0-9]{64}|[MNO][\w-]{23,25}\.[\w-]{6}\.[\w-]{27,38})(?![\w-])/y

/** Webhook addresses, which are secret because every client that knows them can post. */
const WEBHOOK =
  /https:\/\/(?:hooks\.slack\.com\/(?:services|workflows|triggers)\/[\w/+]{20,80}|discord(?:app)?\.com\/api\/webhooks\/\d{5,30}\/[\w-]{40,100}|[\w.-]{1,80}\.webhook\.office\.com\/webhookb2\/[\w@/-]{40,250})/g
/** Telegram: the bot's number, a colon, and 35 characters that begin with AA. */
const TELEGRAM = /(?<!\w)\d{8,10}:AA[\w-]{33}(?![\w-])/g

const escapeLiteral = (literal: string): string => literal.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')
const firstTwo = (text: string, at: number): number => (text.charCodeAt(at) << 7) | text.charCodeAt(at + 1)

/** One expression for all formats with the same first two characters. Other runs cost one lookup. */
const BY_FIRST_TWO = new Map<number, RegExp>()
for (const [start, formats] of Map.groupBy(KEY_FORMATS, ({ prefix }) => firstTwo(prefix, 0))) {
  const source = formats.map(({ prefix, rest }) => `${escapeLiteral(prefix)}${rest}`).join('|')
  BY_FIRST_TWO.set(start, new RegExp(String.raw`(?:${source})(?![\w-])`, 'y'))
}

const isReal = (key: string): boolean => !isPlaceholder(key) && hasVariety(key)

function keyAt(text: string, at: number): string | undefined {
  for (const expression of [BY_FIRST_TWO.get(firstTwo(text, at)), INNER]) {
    if (!expression) continue
    expression.lastIndex = at
    const key = expression.exec(text)?.[0]
    if (key !== undefined && isReal(key)) return key
  }
  return undefined
}

/** Keys of about eighty providers in their documented formats. */
export const apiKey: Detector = {
  name: 'api-key',
  reach: 64,
  detect(text) {
    const findings: Finding[] = []
    const add = (start: number, length: number) => findings.push({ type: 'secret.api_key', start, end: start + length })
    eachRun(text, MIN_LENGTH, RUN, (start, end) => {
      let at = start
      while (at < end && !ALNUM.has(text.charCodeAt(at))) at++
      const key = end - at >= MIN_LENGTH ? keyAt(text, at) : undefined
      if (key !== undefined) add(at, key.length)
    })
    if (text.includes('://')) eachMatch(text, WEBHOOK, ({ 0: match, index }) => add(index, match.length))
    if (text.includes(':AA')) eachMatch(text, TELEGRAM, ({ 0: match, index }) => add(index, match.length))
    return findings
  },
}
