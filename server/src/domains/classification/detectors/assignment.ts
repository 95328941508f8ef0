import type { Finding } from '../../../shared/finding.ts'
import { detector } from '../detector.ts'
import { CharacterSet, eachEnd, eachMatch } from '../text/search.ts'
import { isGenerated, isInterfaceText, isPassword } from '../text/secret-value.ts'
import { addAccounts, addCommands, addPgpass, mayHaveCommand } from './credential-lines.ts'

const MAX_NAME = 24
const MIN_NAME = 3
const REACH = 36
/** Characters between a name and its `=` or `:`, at most four: closing quotes and brackets, Markdown, spaces. */
const CLOSING = new CharacterSet(' \t"\'`])\\*_')
const MAX_CLOSING = 4
const JOINERS = new CharacterSet('_-. ')

const PASSWORD_NAME =
  /(?:passwords?|passwd|passphrase|passcode|passwort|kennwort|contraseña|contrasena|senha|motdepasse|wachtwoord|lösenord|hasło|heslo|salasana|jelszó|passord|adgangskode|şifre|parola|пароль|парола|пароля|лозинка|гасло|κωδικός|\bpass|\bpwd|(?:db|my|user|admin|root|ssh|sudo|sql|ftp|smtp|mail|http|proxy|redis|pg|ldap|vpn|wifi|wlan|key|store)(?:pass|pwd)|mdp)$/
const SECRET_NAME =
  /(?:secrets?|tokens?|(?:api|access|secret|private|auth|client|signing|encryption|master|account|storage|shared|subscription|session|service|webhook|app|server|deploy)keys?|credentials?)$/
/** Names of positions in a list of results (`nextPageToken`), and of repetitions of a request, which protect nothing. */
const POSITION_NAME =
  /(?:page|pagination|paging|continuation|continue|next|prev|previous|cursor|sync|delta|skip|resume|resumption|scroll|start|starting|change|watermark|checkpoint|idempotency|client(?:request)?)tokens?$/
/** Last letters of all these names. A word with another last letter is not read. */
const LAST_LETTERS = new CharacterSet('adenopstyADENOPSTY')
/** Last letters of `пароль`, `парола`, `гасло`, `пароля`, `jelszó` and `κωδικός`, in both cases. */
const OTHER_LAST = new Set([...'ьЬаАоОяЯóÓςΣ'].map((letter) => letter.charCodeAt(0)))
/** In a longer value that is not a secret no further names are searched, because `token:token:token:…` would take quadratic time. */
const LONG = 64
/** Begins a call, an index or a block, so the value before it is code. */
const OPENING = new CharacterSet('([{')
const MIN_SECRET = 8
const MIN_TOKEN = 16

/** A value in quotes on one line, or up to the next space or delimiter. Escaped quotes occur in JSON inside JSON. */
const VALUE = /[:=>]{0,2}[ \t]{0,4}(?:[rbfu]?\\?(["'`])([^"'`\n\\]{4,256})\\?\1|([^\s"'`,;<>(){}[\]|&\\=]{4,256}={0,2}))/y

const endsName = (unit: number): boolean => LAST_LETTERS.has(unit) || OTHER_LAST.has(unit)

const isLetter = (unit: number): boolean => ((unit | 32) >= 97 && (unit | 32) <= 122) || unit >= 0xc0

/** In lower case and without joiners: `DB_PASSWORD`, `"api-key"`, `config['clientSecret']`. Empty if there are too few letters. */
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

const TRAILING = /[.,?:]+$/

/** The value at or shortly after `from`; undefined: no value, or code (a call or an index follows). */
function valueAfter(text: string, from: number) {
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
  if (!SECRET_NAME.test(name) || POSITION_NAME.test(name)) return 'nothing'
  return /secrets?$/.test(name) ? 'secret' : 'token'
}

function isSecret(kind: Kind, name: string, { value, quoted }: { readonly value: string; readonly quoted: boolean }): boolean {
  if (/\s/.test(value)) return false
  return kind === 'password'
    ? isPassword(value, quoted) && !(quoted && isInterfaceText(name, value))
    : isGenerated(value, kind === 'secret' ? MIN_SECRET : MIN_TOKEN)
}

/** A separator after the end of a name. `>` must follow the name directly, as in an XML tag. */
const SEPARATOR = /(?<=[A-Za-z\u00c0-\uffff"'`\])\\*_ \t])[:=]|(?<=[a-z])>/g

function addAssignments(findings: Finding[], text: string): void {
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
    const found = isSecret(kind, name, value)
    if (found) findings.push({ type: 'secret.token', start: value.start, end })
    if (found || value.value.length > LONG) from = end
  })
}

/** `--password hunter2` */
const FLAG =
  /--(?:[a-z]{1,16}-){0,3}(?:password|passwd|pwd|passphrase|token|secret|api-?key|access-?key)[ \t]+(["']?)([^\s"']{4,256})/gi
/** `Passwort für den Server: …`, `пароль от стейджа: …`, `mot de passe (wifi) : …` */
const FOR_WHAT =
  /(?:passwor[dt]s?|passcode|passphrase|kennwort|contraseñas?|senhas?|mot de passe|wachtwoord|hasł[oa]|jelszó|passord|парол[ья]|парола|лозинка|κωδικός|\bpwd)(?: (?:for|of|to|on|at|in|für|fürs|zum|zur|am|im|beim|vom|des|der|de|du|del|della|per|para|do|da|dos|das|no|na|pour|voor|van|op|til|för|på|av|k|ke|ze|a|az|od|от|к|для|на|до|за|pentru|için|για)(?: [\p{L}\d'._-]{1,24}){1,4}? ?| ?[([][\p{L}\d ._-]{1,32}[)\]] ?)[:=] ?(["'`]?)([^\s"'`,;]{6,128})/giu
/** In scripts without spaces between words: `密码是…`, `パスワードは…`, `비밀번호: …`. */
const UNSPACED =
  /(?:密码|密碼|口令|パスワード|暗証番号|비밀번호|암호|รหัสผ่าน|كلمة المرور|كلمة السر|סיסמה|סיסמא|पासवर्ड|mật khẩu)(?: ?\([^()\n]{1,20}\) ?)?(?:是|为|為|は|が|を|、|는|은|이|가|如下|là|[:= ]){0,5}(["'`]?)([!-~]{4,128})/giu
/** `my password is hunter2`, `das Passwort für den Server lautet …`, `la contraseña es …` */
const SPOKEN =
  /(?:passwor[dt]s?|passcode|passphrase|kennwort|contraseñas?|senhas?|mot de passe|wachtwoord|\bpwd|\bapi key|\bsecret key|\baccess token)(?: [\p{L}']{1,15}){0,4}? (?:is|was|ist|lautet|war|es|est|è|é|to|set to|becomes|são|are)(?: now| still| currently| simply| just)?:? (["'`]?)([^\s"'`,;]{6,128})/giu

/** Necessary parts of a sentence with a password, which are faster to search than the sentence. */
const SPOKEN_VALUE = /\d(?:[A-Za-z!@#$%^&*?]|\d{5}|(?<=[A-Za-z!@#$%^&*?]\d))/
const SPOKEN_HINT =
  /[Pp]ass[wpceo]|PASS|[Kk]ennwort|[Cc]ontrase|[Ss]enha|[Ww]achtwoord|pwd|(?:API|api|[Ss]ecret) key|[Aa]ccess token|IDENTIFIED|[Hh]asł|elszó|[Пп]арол|озинк|ωδικ/
const UNSPACED_HINT = /[密口パ暗비암]|รหัส|كلمة|סיסמ|पास|khẩu/

function addSpoken(findings: Finding[], text: string): void {
  const add = (end: number, value: string) => findings.push({ type: 'secret.token', start: end - value.length, end })
  if (text.includes('--')) {
    eachMatch(text, FLAG, ({ 0: match, index, 2: value = '' }) => {
      if (isPassword(value, false)) add(index + match.length, value)
    })
  }
  if (mayHaveCommand(text)) addCommands(findings, text)
  if (!SPOKEN_VALUE.test(text)) return
  addPgpass(findings, text)
  const addValue = ({ 0: match, index, 2: written = '' }: RegExpExecArray): void => {
    const value = written.replace(/[.,?:)]+$/, '')
    if (/\d/.test(value) && isPassword(value, false)) add(index + match.length - written.length + value.length, value)
  }
  if (UNSPACED_HINT.test(text)) eachMatch(text, UNSPACED, addValue)
  if (!SPOKEN_HINT.test(text)) return
  addAccounts(findings, text)
  eachMatch(text, FOR_WHAT, addValue)
  eachMatch(text, SPOKEN, (match) => {
    if (SPOKEN_VALUE.test(match[2] ?? '') && SPOKEN_HINT.test(match[0])) addValue(match)
  })
}

const MARKS = [
  /** A value in quotes, or beyond ASCII, that may continue. */
  { pattern: /[:=>][ \t]{0,4}[rbfu]?\\?["'`][^"'`\n\\]{0,257}$/g, reach: 270 },
  { pattern: /(?:[\s=:(]|-[A-Za-z]{1,8})["'][^"'\n]{0,130}$/g, reach: 144 },
  { pattern: /(?<=[ \t:=>"'`])[^\s]{1,260}$/g, reach: 264 },
  /** The argument of a command, until the next command in the line is known. */
  { pattern: /\becho[ \t][^\n]{0,290}$/g, reach: 300 },
]

/** The span is the value. Templates, types, code that fetches a secret and names of secrets are let pass. */
export const assignment = detector({ name: 'assignment', type: 'secret.token', reach: 32, marks: MARKS }, (text, findings) => {
  addAssignments(findings, text)
  addSpoken(findings, text)
})
