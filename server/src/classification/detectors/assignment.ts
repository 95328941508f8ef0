import type { Finding } from '../../domain/finding.ts'
import type { Detector } from '../detector.ts'
import { CharacterSet } from '../text/characters.ts'
import { eachEnd, eachMatch } from '../text/matches.ts'
import { isGenerated, isPassword } from '../text/secret-value.ts'

/** Longest name that is read, in letters, and the shortest there is (`pwd`). */
const MAX_NAME = 24
const MIN_NAME = 3
/** How far back a name is looked for. */
const REACH = 36
/** May stand between a name and its `=` or `:` (four of them): closing quotes and brackets, Markdown, spaces. */
const CLOSING = new CharacterSet(' \t"\'`])\\*_')
const MAX_CLOSING = 4
const JOINERS = new CharacterSet('_-. ')

const PASSWORD_NAME =
  /(?:passwords?|passwd|passphrase|passcode|passwort|kennwort|contraseña|contrasena|senha|motdepasse|wachtwoord|lösenord|hasło|пароль|\bpass|\bpwd|(?:db|my|user|admin|root)(?:pass|pwd)|mdp)$/
const SECRET_NAME =
  /(?:secrets?|tokens?|(?:api|access|secret|private|auth|client|signing|encryption|master|account|storage|shared|subscription|session|service|webhook|app|server|deploy)keys?|credentials?)$/
/** The last letters of all these names: a word that ends with another is not read. */
const LAST_LETTERS = new CharacterSet('adenopstyADENOPSTY')
/** Of `пароль` and `ПАРОЛЬ`. */
const CYRILLIC_LAST = [0x44c, 0x42c]
/** A longer value is not looked through for further names when it is no secret: `token:token:token:…` would take forever. */
const LONG = 64
/** Behind a name they make a call, an index or a block of it. */
const OPENING = new CharacterSet('([{')
/** A `secret` is shorter than a token. */
const MIN_SECRET = 8
const MIN_TOKEN = 16

/** In quotes on one line, or up to the next space or delimiter. Escaped quotes are those of JSON in JSON. */
const VALUE = /[:=>]{0,2}[ \t]{0,4}(?:[rbfu]?\\?(["'`])([^"'`\n\\]{4,256})\\?\1|([^\s"'`,;<>(){}[\]|&\\=]{4,256}={0,2}))/y

const endsName = (unit: number): boolean => LAST_LETTERS.has(unit) || CYRILLIC_LAST.includes(unit)

const isLetter = (unit: number): boolean => ((unit | 32) >= 97 && (unit | 32) <= 122) || unit >= 0xc0

/**
 * The letters of the name before the separator at `index`, lower case, without what joins its words: `DB_PASSWORD`, `"api-key"`,
 * `config['clientSecret']`. Empty when there are too few. Reads a bounded stretch.
 */
function nameBefore(text: string, index: number): string {
  const floor = Math.max(0, index - REACH)
  let at = index
  while (at > floor && index - at < MAX_CLOSING && CLOSING.has(text.charCodeAt(at - 1))) at--
  if (!endsName(text.charCodeAt(at - 1))) return ''
  for (let i = 1; i <= MIN_NAME; i++) if (!isLetter(text.charCodeAt(at - i))) return ''
  let name = ''
  for (;;) {
    let start = at
    while (start > floor && isLetter(text.charCodeAt(start - 1))) start--
    name = text.slice(start, at) + name
    const goesOn = start > floor + 1 && name.length < MAX_NAME && JOINERS.has(text.charCodeAt(start - 1))
    if (!goesOn || !isLetter(text.charCodeAt(start - 2))) return name.toLowerCase()
    at = start - 1
  }
}

interface Value {
  readonly value: string
  readonly quoted: boolean
  readonly start: number
}

const TRAILING = /[.,?:]+$/

/** The value that begins at or soon after `from`. A call or an index behind it makes it code. */
function valueAfter(text: string, from: number): Value | undefined {
  VALUE.lastIndex = from
  const match = VALUE.exec(text)
  if (!match) return undefined
  const end = VALUE.lastIndex
  const quoted = match[2]
  if (quoted !== undefined) return { value: quoted, quoted: true, start: end - quoted.length - (text[end - 2] === '\\' ? 2 : 1) }
  const written = match[3] ?? ''
  if (OPENING.has(text.charCodeAt(end))) return undefined
  return { value: written.replace(TRAILING, ''), quoted: false, start: end - written.length }
}

type Kind = 'password' | 'secret' | 'token' | 'nothing'

function kindOf(name: string): Kind {
  if (PASSWORD_NAME.test(name)) return 'password'
  if (!SECRET_NAME.test(name)) return 'nothing'
  return /secrets?$/.test(name) ? 'secret' : 'token'
}

function isSecret(kind: Kind, { value, quoted }: Value): boolean {
  if (/\s/.test(value)) return false
  return kind === 'password' ? isPassword(value, quoted) : isGenerated(value, kind === 'secret' ? MIN_SECRET : MIN_TOKEN)
}

/** After what a name may end with; `>` only directly after it, as the end of an XML tag. */
const SEPARATOR = /(?<=[A-Za-z\u00c0-\uffff"'`\])\\*_ \t])[:=]|(?<=[a-z])>/g

function addAssignments(findings: Finding[], text: string): void {
  /** Names repeat: in a file of settings each is looked at once. */
  const kinds = new Map<string, Kind>()
  let from = 0
  eachEnd(text, SEPARATOR, (after) => {
    if (after <= from) return
    const name = nameBefore(text, after - 1)
    if (name === '') return
    let kind = kinds.get(name)
    if (kind === undefined) {
      kind = kindOf(name)
      kinds.set(name, kind)
    }
    const value = kind === 'nothing' ? undefined : valueAfter(text, after)
    if (!value || kind === undefined) return
    const end = value.start + value.value.length
    const found = isSecret(kind, value)
    if (found) findings.push({ type: 'secret.token', start: value.start, end })
    if (found || value.value.length > LONG) from = end
  })
}

/** `--password hunter2` */
const FLAG = /--(?:password|passwd|pwd|passphrase|token|secret|api-?key|access-?key)[ \t]+(["']?)([^\s"']{4,256})/gi
/** `my password is hunter2`, `das Passwort für den Server lautet …`, `la contraseña es …` */
const SPOKEN =
  /(?:passwor[dt]s?|passcode|passphrase|kennwort|contraseñas?|senhas?|mot de passe|wachtwoord|\bpwd|\bapi key|\bsecret key|\baccess token)(?: [\p{L}']{1,15}){0,4}? (?:is|was|ist|lautet|war|es|est|è|é|to|set to|becomes|são|are)(?: now| still| currently| simply| just)?:? (["'`]?)([^\s"'`,;]{6,128})/giu

/** What a password that is said must look like (looked for by its digit), and parts of the names: cheaper to look for than the sentence. */
const SPOKEN_VALUE = /\d(?:[A-Za-z!@#$%^&*?]|\d{5}|(?<=[A-Za-z!@#$%^&*?]\d))/
const SPOKEN_HINT =
  /[Pp]ass[wpce]|PASS|[Kk]ennwort|[Cc]ontrase|[Ss]enha|[Ww]achtwoord|pwd|(?:API|api|[Ss]ecret) key|[Aa]ccess token/

function addSpoken(findings: Finding[], text: string): void {
  const add = (end: number, value: string) => findings.push({ type: 'secret.token', start: end - value.length, end })
  if (text.includes('--')) {
    eachMatch(text, FLAG, ({ 0: match, index, 2: value = '' }) => {
      if (isPassword(value, false)) add(index + match.length, value)
    })
  }
  if (!SPOKEN_VALUE.test(text) || !SPOKEN_HINT.test(text)) return
  eachMatch(text, SPOKEN, ({ 0: match, index, 2: written = '' }) => {
    const value = written.replace(/[.,?:)]+$/, '')
    if (/\d/.test(value) && isPassword(value, false)) add(index + match.length - written.length + value.length, value)
  })
}

/**
 * Passwords, secrets and tokens that a name gives away: `password = …`, `"api_key": "…"`, `--token …`, "my password is …". The span
 * is the value. Templates, types, code that fetches a secret and names of secrets are let pass.
 */
export const assignment: Detector = {
  name: 'assignment',
  detect(text) {
    const findings: Finding[] = []
    addAssignments(findings, text)
    addSpoken(findings, text)
    return findings
  },
}
