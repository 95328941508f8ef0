import type { Finding } from '../../../shared/finding.ts'
import { detector } from '../detector.ts'
import { addMatches, CharacterSet, DIGITS, eachMatch, LOWER, UPPER } from '../text/search.ts'
import { isGenerated, isTemplate } from '../text/secret-value.ts'

/** RFC 7468 textual encodings of private keys, OpenSSH's, and OpenPGP's (RFC 9580 §6.2). */
const BEGIN = /-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----/g
const END = /-----END (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----/g
const PUTTY = /PuTTY-User-Key-File-\d: [\s\S]{0,400}?Private-Lines: \d{1,6}\s{1,8}(?:[A-Za-z0-9+/=]{1,76}\s{1,8}){1,64}/g

/** A body without its end line: lines of base64 and PEM headers. Line breaks can be written as `\n`. */
const BODY = /(?:(?:\s|\\[nr])*(?:[A-Za-z0-9+/=]{16,}|(?:Proc-Type|DEK-Info|Version|Comment|Charset): [^\n]{1,80}))*/y
/** Maximum length of a key. A more distant end line belongs to another key. */
const MAX_LENGTH = 32_768

/** The first line, also if it is not complete. */
const MARK = new RegExp(`${BEGIN.source}|-----BEGIN [A-Z0-9 ]{0,85}-{0,5}$|PuTTY-User-Key-File-`, 'g')

/** Returns the end of the first END line at or after `from`. It keeps its position, so that many BEGIN lines take linear time. */
function ends(text: string): (from: number) => number | undefined {
  let start = -1
  let end = -1
  let none = false
  return (from) => {
    while (!none && start < from) {
      END.lastIndex = Math.max(from, end)
      const match = END.exec(text)
      if (match) {
        start = match.index
        end = start + match[0].length
      } else none = true
    }
    return none ? undefined : end
  }
}

function bodyEnd(text: string, from: number): number {
  BODY.lastIndex = from
  return from + (BODY.exec(text)?.[0].length ?? 0)
}

function addBlocks(findings: Finding[], text: string): void {
  const endAfter = ends(text)
  let from = 0
  eachMatch(text, BEGIN, ({ 0: line, index }) => {
    if (index < from) return
    const begun = index + line.length
    const end = endAfter(begun) ?? Number.POSITIVE_INFINITY
    from = end - index <= MAX_LENGTH ? end : bodyEnd(text, begun)
    // A begin line alone is not a key.
    if (from > begun) findings.push({ type: 'secret.private_key', start: index, end: from })
  })
}

export const privateKey = detector(
  {
    name: 'private-key',
    type: 'secret.private_key',
    byForm: true,
    reach: 32,
    marks: [{ pattern: MARK, reach: MAX_LENGTH + 256 }],
  },
  (text, findings) => {
    if (text.includes('-----BEGIN ')) addBlocks(findings, text)
    if (text.includes('PuTTY-User-Key-File-')) addMatches(findings, 'secret.private_key', text, PUTTY)
  },
)

/** `scheme://user:password@host…` (RFC 3986 §3.2.1), up to the end of the path and query. */
const USER_INFO = /:\/\/([^\s/?#"'`<>@:]{0,128}):([^\s/?#"'`<>@]{1,256})@[^\s"'`<>]{1,512}/y
/** An address that may continue up to its password. */
const URL_MARK = /[a-z\d+.-]{1,24}:\/\/[^\s/?#"'`<>@:]{0,128}(?:$|:[^\s/?#"'`<>@]{0,256}(?:$|@))/gi
const SCHEME = new CharacterSet(`${LOWER}${UPPER}${DIGITS}+.-`)
const MAX_SCHEME = 24

/** Lists of `Key=Value;` (ADO.NET, ODBC, Azure). A list with a host and a password is a connection string. */
const PASSWORDS = 'password|pwd|accountkey|sharedaccesskey|sharedsecret|accesskey'
const MACHINES =
  'server|data source|datasource|host|hostname|addr|address|network address|endpoint|accountname|dsn|driver|defaultendpointsprotocol|initial catalog'
const LIST_PASSWORD = new RegExp(String.raw`(?:^|[;?&\s])(?:${PASSWORDS})[ ]?=[ ]?([^;&\s"']{1,256})`, 'i')
const MACHINE = new RegExp(String.raw`(?:jdbc:[a-z]|(?:^|[;\s])(?:${MACHINES})[ ]?=)`, 'i')
/** A host or a password, wherever its list begins. */
const ENTRY = new RegExp(String.raw`[;?&\s]?(?:jdbc:[a-z]|(?:${MACHINES}|${PASSWORDS})[ ]?=)`, 'gi')
/** Pieces of text. A list does not continue in the next piece. The length is bounded, so that hostile texts take linear time. */
const MAX_PIECE = 2_048
const PIECE = new RegExp(`[^\\n"'\`<>]{12,${MAX_PIECE}}`, 'g')
const LIST_HINT = /(?:password|pwd|key|secret)[ ]?=/i

function schemeStart(text: string, index: number): number {
  let start = index
  while (start > 0 && index - start < MAX_SCHEME && SCHEME.has(text.charCodeAt(start - 1))) start--
  return start
}

function addUrls(findings: Finding[], text: string): void {
  let from = 0
  for (let index = text.indexOf('://'); index !== -1; index = text.indexOf('://', Math.max(index + 3, from))) {
    USER_INFO.lastIndex = index
    const match = USER_INFO.exec(text)
    const start = schemeStart(text, index)
    if (!match || start === index || isTemplate(match[2] ?? '')) continue
    from = index + match[0].replace(/[.,;)\]}]+$/, '').length
    findings.push({ type: 'secret.connection_string', start, end: from })
  }
}

function addLists(findings: Finding[], text: string): void {
  eachMatch(text, PIECE, ({ 0: piece, index }) => {
    const password = LIST_PASSWORD.exec(piece)
    const machine = password && MACHINE.exec(piece)
    if (!machine || isTemplate(password[1] ?? '')) return
    const start = Math.min(machine.index, password.index)
    const end = Math.max(machine.index + machine[0].length, password.index + password[0].length)
    findings.push({ type: 'secret.connection_string', start: index + start, end: index + end })
  })
}

/** Addresses of databases, queues and storage that contain credentials. Any scheme, `https://user:password@host` included. */
export const connectionString = detector(
  {
    name: 'connection-string',
    type: 'secret.connection_string',
    byForm: true,
    reach: 48,
    marks: [
      { pattern: URL_MARK, reach: 440 },
      { pattern: ENTRY, reach: MAX_PIECE + 300 },
    ],
  },
  (text, findings) => {
    addUrls(findings, text)
    if (text.includes('=') && LIST_HINT.test(text)) addLists(findings, text)
  },
)

/** JSON Web Tokens (RFC 7519): three parts if signed, five if encrypted. `eyJ` is `{"` in base64url. */
const JWT = /(?<![\w-])eyJ[\w-]{10,}\.(?:eyJ[\w-]{8,}\.[\w-]*|[\w-]*\.[\w-]+\.[\w-]+\.[\w-]+)/g
/** RFC 6750, with or without the name of the header. */
const BEARER = /bearer +([\w.~+/-]{16,4096}={0,2})/gi
const BASIC = /authorization["']?[ \t]*[:=][ \t]*["']?basic +([A-Za-z0-9+/]{8,512}={0,2})/gi
const MIN_BEARER = 16
/** Common part of "bearer " and "basic ", so that one search finds both. */
const HINT = /a(?:rer|sic) /i

function addCarried(findings: Finding[], text: string, expression: RegExp, isReal: (value: string) => boolean): void {
  eachMatch(text, expression, ({ 0: match, index, 1: value = '' }) => {
    const end = index + match.length
    if (isReal(value)) findings.push({ type: 'secret.token', start: end - value.length, end })
  })
}

export const token = detector({ name: 'token', type: 'secret.token', byForm: true, reach: 64 }, (text, findings) => {
  // A capital J is rare in texts, so this is faster than searching `eyJ`.
  if (text.includes('J') && text.includes('eyJ')) addMatches(findings, 'secret.token', text, JWT)
  if (HINT.test(text)) {
    addCarried(findings, text, BEARER, (value) => isGenerated(value, MIN_BEARER))
    if (/asic /i.test(text)) addCarried(findings, text, BASIC, () => true)
  }
})
