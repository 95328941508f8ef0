import type { Finding } from '../../domain/finding.ts'
import type { Detector } from '../detector.ts'
import { isGenerated, isPassword } from '../text/secret-value.ts'

/** Longest name that is read, in letters; and how far back. */
const MAX_NAME = 24
const REACH = 36
/** May stand between a name and its `=` or `:` (four of them): closing quotes and brackets, Markdown, spaces. */
const CLOSING = new Set([...' \t"\'`])\\*_'])
const MAX_CLOSING = 4
const JOINERS = new Set([...'_-. '])

const PASSWORD_NAME =
  /(?:passwords?|passwd|passphrase|passcode|passwort|kennwort|contraseña|contrasena|senha|motdepasse|wachtwoord|lösenord|hasło|пароль|\bpass|\bpwd|(?:db|my|user|admin|root)(?:pass|pwd)|mdp)$/
const SECRET_NAME =
  /(?:secrets?|tokens?|(?:api|access|secret|private|auth|client|signing|encryption|master|account|storage|shared|subscription|session|service|webhook|app|server|deploy)keys?|credentials?)$/
/** A `secret` is shorter than a token. */
const MIN_SECRET = 8
const MIN_TOKEN = 16

/** In quotes on one line, or up to the next space or delimiter. Escaped quotes are those of JSON in JSON. */
const VALUE = /[:=>]{0,2}[ \t]{0,4}(?:[rbfu]?\\?(["'`])([^"'`\n\\]{4,256})\\?\1|([^\s"'`,;<>(){}[\]|&\\=]{4,256}={0,2}))/y

/** Last letters of the names above: anything else before a `=` or `:` is passed over at the price of one look. */
const LAST = new Set([...'dtnyeslraołDTNYESLRAOŁ'])

const isLetter = (unit: number): boolean => ((unit | 32) >= 97 && (unit | 32) <= 122) || unit >= 0xc0

/**
 * The letters of the name before the separator at `index`, lower case, without what joins its words: `DB_PASSWORD`, `"api-key"`,
 * `config['clientSecret']`. Empty when no name of a secret ends so. Reads a bounded stretch.
 */
function nameBefore(text: string, index: number): string {
  const floor = Math.max(0, index - REACH)
  let at = index
  while (at > floor && index - at < MAX_CLOSING && CLOSING.has(text[at - 1] ?? '')) at--
  if (!LAST.has(text[at - 1] ?? '')) return ''
  let name = ''
  for (let joined = false; at > floor && name.length < MAX_NAME; at--) {
    const character = text[at - 1] ?? ''
    if (isLetter(text.charCodeAt(at - 1))) {
      name = character + name
      joined = false
    } else if (joined || !JOINERS.has(character)) break
    else joined = true
  }
  return name.toLowerCase()
}

interface Value {
  readonly value: string
  readonly quoted: boolean
  readonly start: number
}

/** The value after the separator at `index`. A call or an index behind it makes it code. */
function valueAfter(text: string, index: number): Value | undefined {
  VALUE.lastIndex = index + 1
  const match = VALUE.exec(text)
  if (!match) return undefined
  const end = VALUE.lastIndex
  const quoted = match[2]
  if (quoted !== undefined) return { value: quoted, quoted: true, start: end - quoted.length - (text[end - 2] === '\\' ? 2 : 1) }
  const value = (match[3] ?? '').replace(/[.,?:]+$/, '')
  return /[([{]/.test(text[end] ?? '') ? undefined : { value, quoted: false, start: end - (match[3] ?? '').length }
}

function isSecret(name: string, { value, quoted }: Value): boolean {
  if (/\s/.test(value)) return false
  if (PASSWORD_NAME.test(name)) return isPassword(value, quoted)
  if (!SECRET_NAME.test(name)) return false
  return isGenerated(value, /secrets?$/.test(name) ? MIN_SECRET : MIN_TOKEN)
}

function* assignments(text: string): Generator<Finding> {
  let from = 0
  for (const { index } of text.matchAll(/[:=]|(?<=[a-z])>/gi)) {
    if (index < from) continue
    const name = nameBefore(text, index)
    const value = name === '' ? undefined : valueAfter(text, index)
    if (!value || !isSecret(name, value)) continue
    from = value.start + value.value.length
    yield { type: 'secret.token', start: value.start, end: from }
  }
}

/** `--password hunter2` */
const FLAG = /--(?:password|passwd|pwd|passphrase|token|secret|api-?key|access-?key)[ \t]+(["']?)([^\s"']{4,256})/gi
/** `my password is hunter2`, `das Passwort für den Server lautet …`, `la contraseña es …` */
const SPOKEN =
  /(?:passwor[dt]s?|passcode|passphrase|kennwort|contraseñas?|senhas?|mot de passe|wachtwoord|\bpwd|\bapi key|\bsecret key|\baccess token)(?: [\p{L}']{1,15}){0,4}? (?:is|was|ist|lautet|war|es|est|è|é|to|set to|becomes|são|are)(?: now| still| currently| simply| just)?:? (["'`]?)([^\s"'`,;]{6,128})/giu

function* said(text: string): Generator<Finding> {
  if (text.includes('--')) {
    for (const { 0: match, index, 2: value = '' } of text.matchAll(FLAG)) {
      if (isPassword(value, false)) yield spanAtEnd(index, match, value)
    }
  }
  for (const { 0: match, index, 2: written = '' } of text.matchAll(SPOKEN)) {
    const value = written.replace(/[.,?:)]+$/, '')
    if (/\d/.test(value) && isPassword(value, false))
      yield spanAtEnd(index, match.slice(0, match.length - written.length + value.length), value)
  }
}

const spanAtEnd = (index: number, match: string, value: string): Finding => {
  const end = index + match.length
  return { type: 'secret.token', start: end - value.length, end }
}

/**
 * Passwords, secrets and tokens that a name gives away: `password = …`, `"api_key": "…"`, `--token …`, "my password is …". The span
 * is the value. Templates, types, code that fetches a secret and names of secrets are let pass.
 */
export const assignment: Detector = {
  name: 'assignment',
  detect(text) {
    return [...assignments(text), ...said(text)]
  },
}
